import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { format } from 'prettier';

const RESULTS = new URL('../results/', import.meta.url);
const PAGE = new URL('../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** Where the figures of the last run are, whatever they were. */
export function saveLast(report: unknown): string {
  mkdirSync(RESULTS, { recursive: true });
  const path = new URL('last.json', RESULTS);
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
  return path.pathname;
}

/** Replaces the generated part of `docs/performance.md`. */
export async function savePage(markdown: string): Promise<void> {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, await format(replacePart(page, markdown), { filepath: PAGE.pathname }));
}

/** Throws when the page has no place for the figures. */
export function replacePart(page: string, markdown: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page lacks ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${markdown}\n\n${page.slice(end)}`;
}
