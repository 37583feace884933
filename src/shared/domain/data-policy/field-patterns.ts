/** Segments of a path, matched from its end; `*` is any one. */
export type FieldPattern = readonly string[];

/**
 * The fields that end as one of the patterns says. Letter case is left aside: `Email` and `email` are
 * one field to the person who fills it. Redaction looks up every member of every value that is read, so the
 * patterns become a tree, walked from the end of the path, and their number matters little.
 */
export class FieldPatterns {
  readonly patterns: readonly FieldPattern[];
  /** Null until the first look-up: most policies are parsed and never read by. */
  #tree: Branch | null = null;

  constructor(patterns: readonly FieldPattern[]) {
    this.patterns = patterns;
  }

  matches(path: readonly string[]): boolean {
    this.#tree ??= plant(this.patterns);
    return leads(this.#tree, path, path.length - 1);
  }
}

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
