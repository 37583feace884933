import { auditIdOfEvent } from './audit-item.ts';
import { diffMembers, withRetired, type KnownItem, type MemberDifference } from './diff-members.ts';
import type { ExecutionId } from '../ids.ts';
import {
  digestItems,
  FIRST_SEAL_HEAD,
  FIRST_WINDOW_HEAD,
  hashItems,
  hashSeal,
  hashWindow,
  itemsByTenant,
  type Seal,
  type SealableItem,
  type SealHead,
  type Window,
  type WindowHead,
} from './seal.ts';

/** Something that is not as it was sealed. `row` names an item, as far as it can be named. */
export interface AuditProblem {
  readonly what:
    | 'row_changed'
    | 'row_removed'
    | 'row_added'
    | 'seal_changed'
    | 'seal_out_of_chain'
    | 'window_changed'
    | 'window_out_of_chain'
    | 'window_missing'
    | 'retirement_unproved'
    | 'import_unproved'
    | 'definition_changed'
    | 'definition_removed'
    | 'execution_changed';
  readonly tenantId: string | null;
  /** Null for a retirement, for an import and its events, and for rows that are no items. */
  readonly windowNumber: number | null;
  readonly sealNumber: number | null;
  readonly row: BadRow | null;
}

export interface BadRow {
  /** As `GET /audit` shows it. */
  readonly id: string;
  readonly executionId: string | null;
  readonly sequence: number | null;
  /** Null when it no longer exists. */
  readonly createdAt: string | null;
}

/** How far the chains have been followed. */
export interface VerifiedUpTo {
  readonly window: WindowHead;
  readonly seals: ReadonlyMap<string, SealHead>;
}

export const NOTHING_VERIFIED: VerifiedUpTo = { window: FIRST_WINDOW_HEAD, seals: new Map() };

/**
 * Compares one window with what the tables hold now. `seals` are all that name the window; `items`
 * all that lie in its time, of every tenant or of the one that is looked at. Executions that
 * retention has removed are in `retired`: the hashes of their events by their ids. The problems come
 * in the order in which they should be looked into.
 */
export function verifyWindow(given: {
  readonly upTo: VerifiedUpTo;
  readonly window: Window;
  readonly seals: readonly Seal[];
  readonly items: readonly SealableItem[];
  readonly tenantId: string | null;
  readonly retired: ReadonlyMap<string, string>;
}): {
  readonly problems: readonly AuditProblem[];
  readonly upTo: VerifiedUpTo;
  /** Items proved by what is left of them. */
  readonly retiredItems: number;
} {
  const { upTo, window, items } = given;
  const { windowNumber } = window;
  const seals = given.seals.filter((seal) => isWanted(given.tenantId, seal.tenantId));
  const own = itemsByTenant(items);
  const heads = new Map(upTo.seals);
  const problems: AuditProblem[] = [];
  let retiredItems = 0;
  for (const seal of seals) {
    const head = heads.get(seal.tenantId) ?? FIRST_SEAL_HEAD;
    const present = hashItems(own.get(seal.tenantId) ?? []);
    const known = withRetired(seal.members, present, given.retired);
    retiredItems += known.length - present.length;
    problems.push(...verifySeal({ seal, head, window, items: known }));
    heads.set(seal.tenantId, seal);
  }
  const sealed = new Set(seals.map((seal) => seal.tenantId));
  for (const item of items) {
    if (item.tenantId !== null && sealed.has(item.tenantId)) continue;
    const { tenantId } = item;
    problems.push({
      what: 'row_added',
      tenantId,
      windowNumber,
      sealNumber: null,
      row: nameItem(item),
    });
  }
  problems.push(...verifyLink(given));
  return { problems, upTo: { window, seals: heads }, retiredItems };
}

function isWanted(wanted: string | null, tenantId: string): boolean {
  return wanted === null || wanted === tenantId;
}

function verifyLink(given: {
  readonly upTo: VerifiedUpTo;
  readonly window: Window;
  readonly seals: readonly Seal[];
}): readonly AuditProblem[] {
  const { window, seals } = given;
  const { windowNumber } = window;
  const head = given.upTo.window;
  const about = { tenantId: null, windowNumber, sealNumber: null, row: null };
  const follows =
    windowNumber === head.windowNumber + 1 &&
    window.previousHash === head.hash &&
    window.coversFrom === head.coversTo;
  return [
    ...(follows ? [] : [{ ...about, what: 'window_out_of_chain' as const }]),
    ...(window.hash === hashWindow(window, seals)
      ? []
      : [{ ...about, what: 'window_changed' as const }]),
  ];
}

function verifySeal(given: {
  readonly seal: Seal;
  readonly head: SealHead;
  readonly window: Window;
  readonly items: readonly KnownItem[];
}): readonly AuditProblem[] {
  const { seal, head, window, items } = given;
  const { tenantId, sealNumber } = seal;
  const { windowNumber } = window;
  const about = { tenantId, windowNumber, sealNumber };
  const rows = diffMembers(seal.members, items);
  const problems: AuditProblem[] = (rows ?? []).map((difference) => ({
    ...about,
    what: difference.what,
    row: nameDifference(difference),
  }));
  const follows =
    sealNumber === head.sealNumber + 1 &&
    seal.previousHash === head.hash &&
    seal.coversFrom === head.coversTo &&
    seal.coversTo === window.coversTo;
  if (!follows) problems.push({ ...about, what: 'seal_out_of_chain', row: null });
  // Where a row is named, the hash over all rows is wrong for that reason.
  const isIntact = seal.hash === hashSeal(seal, digestItems(items));
  if (!isIntact && problems.length === 0) {
    problems.push({ ...about, what: 'seal_changed', row: null });
  }
  return problems;
}

function nameDifference(difference: MemberDifference): BadRow {
  if (difference.item !== null) return nameItem(difference.item);
  const { key, sequence } = difference;
  return { ...nameKey(key, sequence), createdAt: null };
}

function nameItem(item: SealableItem): BadRow {
  return {
    ...nameKey(item.key, item.sequence),
    executionId: item.executionId,
    createdAt: new Date(item.createdMicros / 1000).toISOString(),
  };
}

function nameKey(key: string, sequence: number | null): Omit<BadRow, 'createdAt'> {
  if (sequence === null) return { id: key, executionId: null, sequence };
  return { id: auditIdOfEvent(key as ExecutionId, sequence), executionId: key, sequence };
}
