import { isProved } from '../../domain/audit/retired-executions.ts';
import { FIRST_SEAL_HEAD, type SealHead, type WindowHead } from '../../domain/audit/seal.ts';
import { NOTHING_VERIFIED, type AuditProblem } from '../../domain/audit/verify-window.ts';
import type { AuditStore } from '../../store/audit.ts';
import type { Store } from '../../store/store.ts';
import type { Reader } from '../caller.ts';
import { verifyOneWindow } from './verify-one-window.ts';
import { importUnproved, retirementUnproved, verifyImport } from './verify-records.ts';
import { ROW_STAGES, verifyRowPage, type RowStage } from './verify-rows.ts';

/** Where a verification continues: in the chains, or in records and rows beside them. */
export type VerifyPosition =
  | { readonly stage: 'windows'; readonly window: WindowHead; readonly seal: SealHead }
  | { readonly stage: RecordStage; readonly after: string | null };

export type RecordStage = (typeof RECORD_STAGES)[number];
export const RECORD_STAGES = ['retirements', 'imports', ...ROW_STAGES] as const;

export interface VerifiedPart {
  /** The numbers of what this part has compared. */
  readonly windows: number;
  readonly items: number;
  readonly retiredItems: number;
  readonly retiredExecutions: number;
  readonly importedEvents: number;
  readonly importedExecutions: number;
  readonly definitions: number;
  readonly executions: number;
  /** The end of the chain as far as this part has followed it; null: it began behind the chain. */
  readonly head: WindowHead | null;
  readonly problems: readonly AuditProblem[];
  /** Null: all is verified, or a problem ended it. */
  readonly next: VerifyPosition | null;
}

/**
 * Verifies the log of a tenant as `verifyAudit` does, so much of it that one request may wait for
 * it. The caller continues from `next`. A record of an import is looked up with the window that
 * contains its entry, because no part remembers another.
 */
export async function verifyAuditPart(
  { store: { audit } }: { readonly store: Pick<Store, 'audit'> },
  { tenantId }: Reader,
  params: {
    /** Null: from the beginning. */
    readonly from: VerifyPosition | null;
    /** A head that was kept: the chain must contain it. */
    readonly expected: { readonly windowNumber: number; readonly hash: string } | null;
    /** About how many items one part compares. */
    readonly itemsMax?: number;
  },
): Promise<VerifiedPart> {
  const { expected, itemsMax = ITEMS_MAX } = params;
  const count = { ...NOTHING_COUNTED };
  let head: WindowHead | null = null;
  let left = itemsMax;
  let position: VerifyPosition | null = params.from ?? BEGINNING;
  while (position !== null && left > 0) {
    const step: Step =
      position.stage === 'windows'
        ? await verifyNextWindow(audit, { tenantId, position, expected })
        : await verifyNextPage(audit, { tenantId, position });
    head = step.head ?? head;
    left -= step.cost;
    for (const key of COUNTED) count[key] += step.count[key] ?? 0;
    if (step.problems.length > 0) return { ...count, head, problems: step.problems, next: null };
    position = step.next;
  }
  return { ...count, head, problems: [], next: position };
}

const ITEMS_MAX = 20_000;
/** Costs in items: a window without any, and a page of records or rows. */
const WINDOW_COST = 20;
const PAGE_COST = 2_000;

const NOTHING_COUNTED = {
  windows: 0,
  items: 0,
  retiredItems: 0,
  retiredExecutions: 0,
  importedEvents: 0,
  importedExecutions: 0,
  definitions: 0,
  executions: 0,
};
type Counted = keyof typeof NOTHING_COUNTED;
const COUNTED = Object.keys(NOTHING_COUNTED) as readonly Counted[];

const BEGINNING: VerifyPosition = {
  stage: 'windows',
  window: NOTHING_VERIFIED.window,
  seal: FIRST_SEAL_HEAD,
};

interface Step {
  readonly count: Readonly<Partial<Record<Counted, number>>>;
  readonly cost: number;
  readonly head?: WindowHead;
  readonly problems: readonly AuditProblem[];
  readonly next: VerifyPosition | null;
}

async function verifyNextWindow(
  audit: AuditStore,
  params: Reader & {
    readonly position: Extract<VerifyPosition, { readonly stage: 'windows' }>;
    readonly expected: { readonly windowNumber: number; readonly hash: string } | null;
  },
): Promise<Step> {
  const { tenantId, position, expected } = params;
  const [window] = await audit.windows({ after: position.window.windowNumber, limit: 1 });
  if (window === undefined) {
    const { windowNumber } = position.window;
    const problems =
      expected !== null && expected.windowNumber > windowNumber
        ? [{ ...NOTHING_NAMED, what: 'window_missing' as const, windowNumber: windowNumber + 1 }]
        : [];
    const next = { stage: RECORD_STAGES[0], after: null };
    return { count: {}, cost: WINDOW_COST, head: position.window, problems, next };
  }
  const upTo = { window: position.window, seals: new Map([[tenantId as string, position.seal]]) };
  const verified = await verifyOneWindow(audit, { upTo, window, tenantId });
  const { items, retiredItems } = verified;
  const problems = [...verified.problems];
  if (window.windowNumber === expected?.windowNumber && window.hash !== expected.hash) {
    const { windowNumber } = window;
    problems.push({ ...NOTHING_NAMED, what: 'window_changed', windowNumber });
  }
  for (const [id, owner] of verified.imports) {
    if (!(await isImportRecorded(audit, { tenantId, importId: id }))) {
      problems.push(importUnproved(id, owner));
    }
  }
  const seal = verified.upTo.seals.get(tenantId) ?? position.seal;
  const isGood = problems.length === 0;
  return {
    count: isGood ? { windows: 1, items, retiredItems } : {},
    cost: WINDOW_COST + items,
    head: isGood ? window : position.window,
    problems,
    next: { stage: 'windows', window, seal },
  };
}

const NOTHING_NAMED = { tenantId: null, sealNumber: null, row: null };

async function isImportRecorded(
  audit: AuditStore,
  { tenantId, importId }: Reader & { readonly importId: string },
): Promise<boolean> {
  const after = precedingUuid(importId);
  const [found] = await audit.imports({ tenantId, after, limit: 1 });
  return found?.importId === importId;
}

/** Lists begin behind an id, and the wanted record is the first behind this one. */
function precedingUuid(id: string): string {
  const digits = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

async function verifyNextPage(
  audit: AuditStore,
  params: Reader & { readonly position: Extract<VerifyPosition, { readonly stage: RecordStage }> },
): Promise<Step> {
  const { tenantId, position } = params;
  const { stage, after } = position;
  const { last, ...page } =
    stage === 'retirements'
      ? await verifyRetirements(audit, { tenantId, after })
      : stage === 'imports'
        ? await verifyImports(audit, { tenantId, after })
        : await verifyRowsOf(audit, { tenantId, after, stage });
  const following = RECORD_STAGES[RECORD_STAGES.indexOf(stage) + 1];
  const done = following === undefined ? null : { stage: following, after: null };
  return { ...page, next: last === null ? done : { stage, after: last } };
}

interface Page extends Omit<Step, 'next' | 'head'> {
  /** The last id of the page; null: the page was empty. */
  readonly last: string | null;
}

type From = Reader & { readonly after: string | null };

async function verifyRetirements(audit: AuditStore, from: From): Promise<Page> {
  const page = await audit.retirements({ ...from, limit: RECORDS_AT_A_TIME });
  const bad = page.find((retirement) => !isProved(retirement));
  return {
    count: { retiredExecutions: page.reduce((sum, { executions }) => sum + executions.length, 0) },
    cost: page.length === 0 ? 0 : PAGE_COST,
    problems: bad === undefined ? [] : [retirementUnproved(bad)],
    last: page.at(-1)?.retirementId ?? null,
  };
}

async function verifyImports(audit: AuditStore, from: From): Promise<Page> {
  const page = await audit.imports({ ...from, limit: RECORDS_AT_A_TIME });
  let events = 0;
  const found = new Set<string>();
  for (const imported of page) {
    const verified = await verifyImport(audit, imported);
    events += verified.events;
    if (imported.isThere) found.add(imported.executionId);
    if (verified.problems.length > 0) {
      return { count: {}, cost: PAGE_COST, problems: verified.problems, last: null };
    }
  }
  return {
    count: { importedEvents: events, importedExecutions: found.size },
    cost: page.length === 0 ? 0 : PAGE_COST + events,
    problems: [],
    last: page.at(-1)?.importId ?? null,
  };
}

const RECORDS_AT_A_TIME = 20;

async function verifyRowsOf(
  audit: AuditStore,
  { tenantId, after, stage }: From & { readonly stage: RowStage },
): Promise<Page> {
  const { good, problems, next } = await verifyRowPage(audit, stage, { tenantId, after });
  return {
    count: stage === 'registrations' ? {} : { [stage]: good },
    cost: next === null ? 0 : PAGE_COST,
    problems,
    last: next,
  };
}
