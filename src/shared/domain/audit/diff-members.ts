import { SHORT_HASH_DIGITS, type HashedItem, type SealableItem } from './seal.ts';

export interface MemberDifference {
  readonly what: 'row_changed' | 'row_removed' | 'row_added';
  readonly key: string;
  readonly sequence: number | null;
  /** The item as it is now; null when it is gone. */
  readonly item: SealableItem | null;
}

/**
 * Which items are not those that a seal lists, in the order of the items. Null: the list itself
 * cannot be read, so nothing can be told from it.
 */
export function diffMembers(
  members: string,
  items: readonly HashedItem[],
): readonly MemberDifference[] | null {
  const listed = decodeMembers(members);
  if (listed === null) return null;
  const differences: MemberDifference[] = [];
  const found = new Map(items.map((each) => [nameOf(each.item), each]));
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
  for (const { item } of found.values()) {
    const { key, sequence } = item;
    differences.push({ what: 'row_added', key, sequence, item });
  }
  return differences;
}

interface Member {
  readonly key: string;
  readonly sequence: number | null;
  readonly short: string;
}

/** Whoever changed the list may have left anything there. */
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
