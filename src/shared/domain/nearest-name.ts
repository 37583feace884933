/** The known name that an unknown one was probably meant to be; null when none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  const meant = fold(name);
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor(meant.length / 3)) + 1;
  for (const candidate of candidates) {
    const changes = countChanges(meant, fold(candidate));
    if (changes >= fewest) continue;
    nearest = candidate;
    fewest = changes;
  }
  return nearest;
}

/** Names may be a caller's, of any length; the work grows with the product of two lengths. */
const CHARACTERS_MAX = 100;

/** `workflowId` and `workflow_id` are one slip apart, not two. */
function fold(name: string): string {
  return name.slice(0, CHARACTERS_MAX).toLowerCase();
}

/**
 * How many letters must be added, left out, replaced or swapped with their neighbour to turn one
 * text into the other.
 */
export function countChanges(left: string, right: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last.at(-1) ?? 0;
}
