/*
 * Node runs TypeScript without checking its types, and a typo in an option would be without effect. So
 * functions that take options refuse those that they don't know: when the program starts, or when a durable
 * function makes the call.
 */

/** A name for each option; the compiler refuses a list that lacks one. */
export type Known<Options> = { readonly [Name in keyof Required<Options>]: true };

type KnownNames = Readonly<Record<string, true>>;

/** @throws TypeError for a member that is not known; the message names the nearest one */
export function refuseUnknown(given: object, known: KnownNames, what: string): void {
  const problem = findUnknown(given, known, what);
  if (problem !== null) throw new TypeError(problem);
}

/** The message about a member that is not known; null: all are known. */
export function findUnknown(given: object, known: KnownNames, what: string): string | null {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const nearest = nearestOf(name, Object.keys(known));
    const next =
      nearest === null
        ? `it has ${Object.keys(known).sort().join(', ')}`
        : `did you mean "${nearest}"?`;
    return `${what} has no option "${name}": ${next}`;
  }
  return null;
}

/** Null: nothing is near. */
function nearestOf(name: string, known: readonly string[]): string | null {
  const wanted = name.replaceAll('_', '').toLowerCase();
  const near = known
    .map((one) => ({ one, edits: editsBetween(wanted, one.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits)[0];
  const editsMax = Math.max(2, Math.floor(wanted.length * 0.45));
  return near !== undefined && near.edits <= editsMax ? near.one : null;
}

/** How many letters to add, drop or replace. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [above, letter] of from.split('').entries()) {
    const next = [above + 1];
    for (const [at, other] of to.split('').entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
