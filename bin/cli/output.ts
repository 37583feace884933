import { asTyped } from './as-typed.ts';

export type OutputFormat = 'table' | 'json';

/** Writes one JSON document, the only output on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printLine(line: string): void {
  process.stdout.write(`${showText(line)}\n`);
}

/** Progress, hints and warnings: for people, beside the result. */
export function printNote(line: string): void {
  process.stderr.write(`${showText(asTyped(line))}\n`);
}

/**
 * Text as a terminal shows it: what files and servers say must not move its cursor or set its title,
 * so control characters stand as JSON escapes them.
 */
export function showText(text: string): string {
  return text.replaceAll(
    /[\p{Cc}--[\t\n]]/gv,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One thing, a line for each of its fields; absent ones are left out. */
export function printFields(fields: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    const [first, ...more] = showValue(value).split('\n');
    printLine(`${name.padEnd(width)}  ${first}`);
    for (const line of more) printLine(`${' '.repeat(width)}  ${line}`);
  }
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
