import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { format, resolveConfig } from 'prettier';

/** Of this checkout alone, as the database of `svc dev` is. */
const LAST = new URL('../../.svc/bench.json', import.meta.url);
const FIGURES = new URL('../figures.json', import.meta.url);
const PAGE = new URL('../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** Where the figures of the last run are, whatever they were. */
export function saveLast(report: unknown): string {
  mkdirSync(new URL('.', LAST), { recursive: true });
  writeFileSync(LAST, `${JSON.stringify(report, null, 2)}\n`);
  return LAST.pathname;
}

/** Replaces the generated part of `docs/performance.md`, and the figures behind it. */
export async function savePage(markdown: string, figures: unknown): Promise<void> {
  const page = replacePart(readFileSync(PAGE, 'utf8'), markdown);
  for (const [file, text] of [
    [PAGE, page],
    [FIGURES, JSON.stringify(figures)],
  ] as const) {
    const config = await resolveConfig(file);
    writeFileSync(file, await format(text, { ...config, filepath: file.pathname }));
  }
}

/** Throws when the page has no place for the figures. */
export function replacePart(page: string, markdown: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page lacks ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${markdown}\n\n${page.slice(end)}`;
}
