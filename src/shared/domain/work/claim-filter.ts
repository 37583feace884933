import { matchesGlob } from '../policy/policy.ts';
import { buildQueueName } from './build-queue.ts';
import { DEFAULT_QUEUE, queueKeyOf } from './queue-key.ts';

export { DEFAULT_QUEUE };

/** Names of queues are parts of keys: no slash, and short. */
export const QUEUE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Which items of its queue types a claim takes. */
export interface ClaimFilter {
  /** Globs over the names of tools, as in policies; null or absent: every tool. */
  readonly tools?: readonly string[] | null;
  /** Null or absent: the default queue alone, so that no named queue is served by chance. */
  readonly queueNames?: readonly string[] | null;
  /** The build of the worker, which also serves the functions pinned to it; null or absent: none. */
  readonly buildId?: string | null;
}

/** Those of its build included. */
export function queueNamesOf({ queueNames, buildId }: ClaimFilter): readonly string[] {
  const names = queueNames ?? DEFAULT_QUEUES;
  return buildId ? [...names, ...names.map((name) => buildQueueName(name, buildId))] : names;
}

/** The keys of the queues that a claim looks at, each once. Builds concern functions alone. */
export function queueKeysOf(
  of: ClaimFilter & { readonly tenantId: string | null; readonly queues: readonly string[] },
): readonly string[] {
  const { tenantId, queues, buildId: _, ...base } = of;
  const keys = queues.flatMap((queue) =>
    queueNamesOf(queue === 'function' ? of : base).map((queueName) =>
      queueKeyOf({ tenantId, queue, queueName }),
    ),
  );
  return [...new Set(keys)];
}

const DEFAULT_QUEUES = [DEFAULT_QUEUE];

export function servesTool({ tools }: ClaimFilter, tool: string): boolean {
  return !tools || tools.some((glob) => matchesGlob(glob, toolKey(tool)));
}

/**
 * A name in the index of a queue, whose entries are limited: a longer name is cut, and globs match
 * the cut name.
 */
export function toolKey(tool: string): string {
  return tool.slice(0, TOOL_KEY_MAX).toWellFormed();
}

export const TOOL_KEY_MAX = 500;

/** Whether a claim with this filter may be given the item. */
export function admitsItem(
  filter: ClaimFilter,
  item: { readonly tool: string; readonly queueName?: string | undefined },
): boolean {
  return (
    queueNamesOf(filter).includes(item.queueName ?? DEFAULT_QUEUE) && servesTool(filter, item.tool)
  );
}

/** The same for filters that ask for the same; empty: for what a claim without filter asks for. */
export function filterKey({ tools, queueNames, buildId }: ClaimFilter): string {
  const [globs, names] = [tools ?? null, queueNames ?? null].map(
    (list) => list && [...new Set(list)].toSorted(),
  );
  if (buildId) return JSON.stringify([globs, names, buildId]);
  return globs || names ? JSON.stringify([globs, names]) : '';
}

/** The union of a worker's different claims. */
export function mergeFilters(one: ClaimFilter, other: ClaimFilter): ClaimFilter {
  const queueNames = union(queueNamesOf(one), queueNamesOf(other));
  if (!one.tools || !other.tools) return { tools: null, queueNames };
  return { tools: union(one.tools, other.tools), queueNames };
}

/** Names are the callers' choice: of too many the later ones are kept. */
function union(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])].slice(-MERGED_MAX);
}

const MERGED_MAX = 200;

/** Names of tools that a list of globs may match: these alone, and all that begin like one of those. */
export function rangesOf(globs: readonly string[]): {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
} {
  const names = new Set<string>();
  const prefixes = new Set<string>();
  for (const glob of globs) {
    const wild = glob.search(/[*?]/);
    if (wild < 0) names.add(glob);
    else prefixes.add(glob.slice(0, wild));
  }
  // If prefixes overlap, the shorter one suffices.
  const all = [...prefixes];
  const least = all.filter((one) => !all.some((other) => other !== one && one.startsWith(other)));
  return { names: [...names], prefixes: least };
}
