/**
 * Where a text stops being JSON, from 1. The parser names the place in some of its messages only, so
 * it is found by search: up to the fault, every beginning of the text is merely incomplete.
 */
export function locateJsonError(text: string): { readonly line: number; readonly column: number } {
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const before = text.slice(0, good).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function isBeginning(part: string): boolean {
  try {
    JSON.parse(part);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    return (
      /^Unexpected end|^Unterminated/.test(message) ||
      (position !== undefined && Number(position) >= part.length)
    );
  }
}
