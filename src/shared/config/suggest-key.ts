import { CONFIG_KEY_NAMES } from './keys.ts';

/** A hint at the known key or section an unknown one was probably meant to be, or nothing. */
export function suggestKey(unknown: string): string {
  const sections = CONFIG_KEY_NAMES.map((key) => key.replace(/\.[^.]*$/, ''));
  const known = [...CONFIG_KEY_NAMES, ...new Set(sections)];
  const named = unknown.slice(unknown.lastIndexOf('.') + 1);
  const distances = known.map((key) => ({
    key,
    distance: key.endsWith(`.${named}`) ? 1 : editDistance(unknown.slice(0, 100), key),
  }));
  distances.sort((left, right) => left.distance - right.distance);
  const [nearest] = distances;
  return nearest !== undefined && nearest.distance <= Math.max(2, unknown.length / 4)
    ? `, expected a known one: did you mean ${nearest.key}?`
    : ', expected one of docs/configuration.md';
}

/** How many letters must be put in, left out or replaced to turn one text into the other. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [row, letter] of Array.from(left).entries()) {
    const current = [row + 1];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (letter === right[column - 1] ? 0 : 1);
      const cheapest = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current.push(Math.min(replaced, cheapest));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
