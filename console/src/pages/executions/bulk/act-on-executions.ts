import { call, type BodyOf, type ReplyOf } from '../../../api/client.ts';
import type { FilterParameters } from '../filter.ts';

export const ACTIONS = ['cancel', 'pause', 'resume', 'retry'] as const;
export type Action = (typeof ACTIONS)[number];

/** Chosen rows, or everything that the list contains. */
export type Target =
  | { readonly ids: readonly string[] }
  | { readonly filter: FilterParameters; readonly asOf: string };

export type Preview = ReplyOf<'bulk-executions'>;
export type Outcome = Preview['results'][number];

export interface Report {
  readonly done: number;
  readonly refused: readonly Outcome[];
}

/** A request acts on so many executions at most, and a query names so many ids. */
const AT_ONCE = 100;
/** So many previewed executions are named one by one when the action begins. */
export const FROZEN_MAX = 500;

/** The executions that the action would hit now. Changes nothing. */
export async function previewAction(action: Action, target: Target): Promise<Preview> {
  const parts = await Promise.all(
    filtersOf(target).map((filter) =>
      call('bulk-executions', { body: { action, filter, dry_run: true, max: FROZEN_MAX } }),
    ),
  );
  return {
    results: parts.flatMap(({ results }) => results),
    next_cursor: null,
    total: parts.reduce((sum, { total }) => sum + (total ?? 0), 0),
    total_is_exact: parts.every(({ total_is_exact: isExact }) => isExact),
  };
}

/**
 * Acts on what the preview showed, one page after another. A preview that shows every execution
 * freezes them by their ids; a larger one is frozen by its time, so that no later start is hit.
 */
export async function actOnPreview(params: {
  readonly action: Action;
  readonly target: Target;
  readonly preview: Preview;
  readonly reason: string;
  readonly onProgress: (done: number) => void;
}): Promise<Report> {
  const { action, preview, reason, onProgress } = params;
  const shown = preview.results.map(({ execution_id: id }) => id);
  const isWhole = shown.length === preview.total && preview.total_is_exact;
  const refused: Outcome[] = [];
  let done = 0;
  for (const filter of filtersOf(isWhole ? { ids: shown } : params.target)) {
    let cursor: string | null = null;
    do {
      const body: BodyOf<'bulk-executions'> = {
        action,
        filter,
        max: AT_ONCE,
        ...(action === 'pause' && reason !== '' && { reason }),
        ...(cursor !== null && { cursor }),
      };
      const page: Preview = await call('bulk-executions', { body });
      done += page.results.filter(({ outcome }) => outcome === 'done').length;
      refused.push(...page.results.filter(({ outcome }) => outcome === 'refused'));
      cursor = page.next_cursor;
      onProgress(done);
    } while (cursor !== null);
  }
  return { done, refused };
}

function filtersOf(target: Target): readonly BodyOf<'bulk-executions'>['filter'][] {
  if ('filter' in target) {
    const { filter, asOf } = target;
    const { created_before: before = asOf } = filter;
    return [{ ...filter, created_before: before < asOf ? before : asOf }];
  }
  const chunks = Math.ceil(target.ids.length / AT_ONCE);
  return Array.from({ length: chunks }, (_, index) => ({
    q: `id in (${target.ids.slice(index * AT_ONCE, (index + 1) * AT_ONCE).join(', ')})`,
  }));
}
