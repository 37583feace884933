import type { FieldPattern } from './data-policy.ts';

/**
 * Whether a path ends as one of the patterns says. Letter case is left aside: `Email` and `email` are
 * one field to whoever fills it. Every member of every value that is read is looked up here, so the
 * patterns are a tree, walked from the end of the path, and their number matters little.
 */
export function matchesField(patterns: readonly FieldPattern[], path: readonly string[]): boolean {
  let tree = trees.get(patterns);
  if (tree === undefined) trees.set(patterns, (tree = plant(patterns)));
  return leads(tree, path, path.length - 1);
}

/** The patterns of a definition, which never changes. */
const trees = new WeakMap<readonly FieldPattern[], Branch>();

interface Branch {
  /** A pattern ends here. */
  ends: boolean;
  /** By the segment before, in lower case. */
  readonly named: Map<string, Branch>;
  any: Branch | null;
}

function plant(patterns: readonly FieldPattern[]): Branch {
  const root: Branch = newBranch();
  for (const pattern of patterns) {
    let at = root;
    for (const segment of pattern.toReversed()) at = grow(at, segment.toLowerCase());
    at.ends = true;
  }
  return root;
}

function grow(at: Branch, segment: string): Branch {
  const present = segment === '*' ? at.any : (at.named.get(segment) ?? null);
  if (present !== null) return present;
  const added = newBranch();
  if (segment === '*') at.any = added;
  else at.named.set(segment, added);
  return added;
}

function newBranch(): Branch {
  return { ends: false, named: new Map(), any: null };
}

function leads(at: Branch, path: readonly string[], index: number): boolean {
  if (at.ends) return true;
  const segment = path[index];
  if (segment === undefined) return false;
  const named = at.named.size === 0 ? undefined : at.named.get(segment.toLowerCase());
  return (
    (named !== undefined && leads(named, path, index - 1)) ||
    (at.any !== null && leads(at.any, path, index - 1))
  );
}
