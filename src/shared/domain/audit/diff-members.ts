import { hashOfEvent } from './retired-executions.ts';
import {
  compareText,
  SHORT_HASH_DIGITS,
  type HashedItem,
  type Seal,
  type SealableItem,
} from './seal.ts';

/** An item with a known hash, existing or removed by retention. */
export interface KnownItem {
  readonly key: string;
  readonly sequence: number | null;
  readonly hash: string;
  /** Null when it was removed. */
  readonly item: SealableItem | null;
}

export interface MemberDifference {
  readonly what: 'row_changed' | 'row_removed' | 'row_added';
  readonly key: string;
  readonly sequence: number | null;
  /** The item as it is now; null when it is gone. */
  readonly item: SealableItem | null;
}

/**
 * The items that differ from the list of a seal, in the order of the items. Null: the list cannot
 * be read, so it proves nothing.
 */
export function diffMembers(
  members: string,
  items: readonly KnownItem[],
): readonly MemberDifference[] | null {
  const listed = decodeMembers(members);
  if (listed === null) return null;
  const differences: MemberDifference[] = [];
  const found = new Map(items.map((each) => [nameOf(each), each]));
  for (const { key, sequence, short } of listed) {
    const name = nameOf({ key, sequence });
    const present = found.get(name);
    if (present === undefined) {
      differences.push({ what: 'row_removed', key, sequence, item: null });
    } else if (!present.hash.startsWith(short)) {
      differences.push({ what: 'row_changed', key, sequence, item: present.item });
    }
    found.delete(name);
  }
  for (const { key, sequence, item } of found.values()) {
    differences.push({ what: 'row_added', key, sequence, item });
  }
  return differences;
}

/** The keys of events that seals list and that are missing. */
export function findMissing(
  seals: readonly Seal[],
  items: readonly SealableItem[],
): readonly string[] {
  const present = new Set(items.map(nameOf));
  const missing = new Set<string>();
  for (const seal of seals) {
    for (const member of decodeMembers(seal.members) ?? []) {
      if (member.sequence !== null && !present.has(nameOf(member))) missing.add(member.key);
    }
  }
  return [...missing];
}

/**
 * The items of a seal in their canonical order: the existing ones, and those whose hash was kept
 * when their execution was removed (by its key).
 */
export function withRetired(
  members: string,
  present: readonly HashedItem[],
  retired: ReadonlyMap<string, string>,
): readonly KnownItem[] {
  const known: KnownItem[] = present.map(({ item, hash }) => ({
    key: item.key,
    sequence: item.sequence,
    hash,
    item,
  }));
  if (retired.size === 0) return known;
  const there = new Set(known.map(nameOf));
  for (const member of decodeMembers(members) ?? []) {
    const { key, sequence } = member;
    const hashes = retired.get(key);
    if (hashes === undefined || sequence === null || there.has(nameOf(member))) continue;
    const hash = hashOfEvent(hashes, sequence);
    if (hash !== null) known.push({ key, sequence, hash, item: null });
  }
  return known.toSorted(
    (one, other) => compareText(one.key, other.key) || (one.sequence ?? 0) - (other.sequence ?? 0),
  );
}

interface Member {
  readonly key: string;
  readonly sequence: number | null;
  readonly short: string;
}

/** A forged list may contain anything. */
function decodeMembers(members: string): readonly Member[] | null {
  const runs = parseJson(members);
  if (!Array.isArray(runs)) return null;
  const listed: Member[] = [];
  for (const run of runs as readonly unknown[]) {
    if (!Array.isArray(run)) return null;
    const [key, first, hashes] = run as readonly unknown[];
    if (typeof key !== 'string' || typeof hashes !== 'string') return null;
    if (first !== null && typeof first !== 'number') return null;
    for (let at = 0; at < hashes.length; at += SHORT_HASH_DIGITS) {
      const sequence = first === null ? null : first + at / SHORT_HASH_DIGITS;
      listed.push({ key, sequence, short: hashes.slice(at, at + SHORT_HASH_DIGITS) });
    }
  }
  return listed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function nameOf(item: { readonly key: string; readonly sequence: number | null }): string {
  return `${item.key}:${item.sequence ?? ''}`;
}
