import { asTyped } from './as-typed.ts';

export type OutputFormat = 'table' | 'json';

/** Writes a result as data. */
export type Renderer = (value: unknown) => void;

let render: Renderer = renderJson;
let isByPage = false;

/** For `-o yaml`, `wide` and `ids`: commands hand over the same value as for JSON. */
export function renderWith(renderer: Renderer, { byPage }: { readonly byPage: boolean }): void {
  render = renderer;
  isByPage = byPage;
}

/** Whether the pages of a list may be written one after another. */
export function printsByPage(): boolean {
  return isByPage;
}

/** Writes the result as data, the only output on stdout: one JSON document, or what `-o` asks for. */
export function printJson(value: unknown): void {
  render(value);
}

/** One value of a stream, which has no end to wait for: JSON takes one line. */
export function printStreamed(value: unknown): void {
  if (render === renderJson) printLine(JSON.stringify(value));
  else render(value);
}

function renderJson(value: unknown): void {
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
