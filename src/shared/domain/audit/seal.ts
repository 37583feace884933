import { hash } from 'node:crypto';

/*
 * The chains of seals over the audit log.
 *
 * Time is cut into windows, one after the other without gaps. A window that can no longer change is
 * sealed once: every tenant that has items in it gets the next seal of its chain, and the window
 * itself is the next link of a chain over all tenants. So a tenant's chain proves its items, and
 * the single hash of the last window covers everything.
 *
 * A seal contains a short hash of each item, beside the full hash over all of them. The full hash
 * decides whether anything was changed; the short ones identify the changed or missing items.
 *
 * The chains alone do not reveal a truncated end, or that all of them were rebuilt. To detect that,
 * keep the hash of a window elsewhere.
 */

/** An item with everything that is proved about it. */
export interface SealableItem {
  /** Null: an event whose execution does not exist. */
  readonly tenantId: string | null;
  /** The execution of an event; the id of a managing request. */
  readonly key: string;
  /** Null for a managing request. */
  readonly sequence: number | null;
  readonly executionId: string | null;
  /** As stored: the kind of an event, the type of a managing request. */
  readonly eventType: string;
  readonly nodeId: string | null;
  readonly actorId: string;
  /** Hex SHA-256 of the payload's text as stored. */
  readonly payloadHash: string;
  /** Microseconds since the epoch: all that the database can hold, not only what is shown. */
  readonly createdMicros: number;
}

export interface Window {
  readonly windowNumber: number;
  /** Inclusive; of the first window the beginning of time. */
  readonly coversFrom: string;
  /** Exclusive. */
  readonly coversTo: string;
  readonly previousHash: string;
  readonly hash: string;
  readonly sealedAt: string;
}

export interface Seal {
  readonly tenantId: string;
  readonly sealNumber: number;
  readonly windowNumber: number;
  /** Where the tenant's seal before it ended. */
  readonly coversFrom: string;
  readonly coversTo: string;
  readonly itemCount: number;
  /** JSON text; see `encodeMembers`. */
  readonly members: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** The end of a chain, which the next link is fastened to. */
export interface SealHead {
  readonly sealNumber: number;
  readonly coversTo: string;
  readonly hash: string;
}

export interface WindowHead {
  readonly windowNumber: number;
  readonly coversTo: string;
  readonly hash: string;
}

export const GENESIS_HASH = '0'.repeat(64);
export const BEGINNING_OF_TIME = '1970-01-01T00:00:00.000Z';
export const FIRST_WINDOW_HEAD: WindowHead = {
  windowNumber: 0,
  coversTo: BEGINNING_OF_TIME,
  hash: GENESIS_HASH,
};
export const FIRST_SEAL_HEAD: SealHead = {
  sealNumber: 0,
  coversTo: BEGINNING_OF_TIME,
  hash: GENESIS_HASH,
};

/** The next window and the seals of the tenants that have items in it. */
export function composeWindow(given: {
  readonly head: WindowHead;
  readonly coversTo: string;
  readonly sealedAt: string;
  readonly items: readonly SealableItem[];
  /** By tenant; absent: its chain begins here. */
  readonly heads: ReadonlyMap<string, SealHead>;
}): { readonly window: Window; readonly seals: readonly Seal[] } {
  const { head, coversTo, sealedAt } = given;
  const windowNumber = head.windowNumber + 1;
  const seals = [...itemsByTenant(given.items)].map(([tenantId, items]) =>
    composeSeal({
      tenantId,
      windowNumber,
      coversTo,
      items,
      head: given.heads.get(tenantId) ?? FIRST_SEAL_HEAD,
    }),
  );
  const open = {
    windowNumber,
    coversFrom: head.coversTo,
    coversTo,
    previousHash: head.hash,
    sealedAt,
  };
  return { window: { ...open, hash: hashWindow(open, seals) }, seals };
}

export function itemsByTenant(
  items: readonly SealableItem[],
): ReadonlyMap<string, readonly SealableItem[]> {
  const found = new Map<string, SealableItem[]>();
  for (const item of items) {
    if (item.tenantId === null) continue;
    const own = found.get(item.tenantId);
    if (own === undefined) found.set(item.tenantId, [item]);
    else own.push(item);
  }
  return found;
}

export function hashWindow(window: Omit<Window, 'hash'>, seals: readonly Seal[]): string {
  return hashOf([
    'svc.audit.window.1',
    window.windowNumber,
    window.coversFrom,
    window.coversTo,
    window.previousHash,
    window.sealedAt,
    seals
      .map(({ tenantId, sealNumber, hash }) => [tenantId, sealNumber, hash] as const)
      .toSorted(([one], [other]) => compareText(one, other)),
  ]);
}

/** `digest` is that of the items; see `digestItems`. */
export function hashSeal(seal: Omit<Seal, 'hash'>, digest: string): string {
  return hashOf([
    'svc.audit.seal.1',
    seal.tenantId,
    seal.sealNumber,
    seal.windowNumber,
    seal.coversFrom,
    seal.coversTo,
    seal.itemCount,
    seal.members,
    seal.previousHash,
    digest,
  ]);
}

export interface HashedItem {
  readonly item: SealableItem;
  readonly hash: string;
}

/** In the one order that counts: by key, then by sequence. */
export function hashItems(items: readonly SealableItem[]): readonly HashedItem[] {
  return items
    .toSorted(
      (one, other) =>
        compareText(one.key, other.key) || (one.sequence ?? 0) - (other.sequence ?? 0),
    )
    .map((item) => ({ item, hash: hashItem(item) }));
}

export function digestItems(items: readonly { readonly hash: string }[]): string {
  return hash('sha256', items.map((item) => item.hash).join(''), 'hex');
}

/**
 * `[[key, first sequence, short hashes of it and of those that follow upon it], …]`: the events of
 * an execution are one run nearly always, so its id stands there once.
 */
export function encodeMembers(items: readonly HashedItem[]): string {
  const runs: [string, number | null, string][] = [];
  let next = Number.NaN;
  for (const { item, hash } of items) {
    const { key, sequence } = item;
    const run = runs.at(-1);
    const short = hash.slice(0, SHORT_HASH_DIGITS);
    if (run !== undefined && run[0] === key && sequence === next) run[2] += short;
    else runs.push([key, sequence, short]);
    next = sequence === null ? Number.NaN : sequence + 1;
  }
  return JSON.stringify(runs);
}

/** 64 bits: they only name what the full hash has found to be wrong. */
export const SHORT_HASH_DIGITS = 16;

function composeSeal(given: {
  readonly tenantId: string;
  readonly windowNumber: number;
  readonly coversTo: string;
  readonly items: readonly SealableItem[];
  readonly head: SealHead;
}): Seal {
  const { tenantId, windowNumber, coversTo, head } = given;
  const items = hashItems(given.items);
  const open = {
    tenantId,
    sealNumber: head.sealNumber + 1,
    windowNumber,
    coversFrom: head.coversTo,
    coversTo,
    itemCount: items.length,
    members: encodeMembers(items),
    previousHash: head.hash,
  };
  return { ...open, hash: hashSeal(open, digestItems(items)) };
}

function hashItem(item: SealableItem): string {
  return hashOf([
    'svc.audit.item.1',
    item.tenantId,
    item.key,
    item.sequence,
    item.executionId,
    item.eventType,
    item.nodeId,
    item.actorId,
    item.payloadHash,
    item.createdMicros,
  ]);
}

function hashOf(fields: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(fields), 'hex');
}

export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
