import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { format, resolveConfig } from 'prettier';

/** Each checkout has its own folder, like the database of `svc dev`. */
const LAST = new URL('../../.svc/', import.meta.url);
const FIGURES = new URL('../figures.json', import.meta.url);
const PAGE = new URL('../../docs/concepts/performance.md', import.meta.url);
const PAGES = {
  performance: PAGE,
  scaling: new URL('../../docs/concepts/scaling.md', import.meta.url),
} as const;

/** Saves the figures of the last run, of any kind, and returns the path. */
export function saveLast(report: unknown, name = 'bench'): string {
  mkdirSync(LAST, { recursive: true });
  const file = new URL(`${name}.json`, LAST);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  return file.pathname;
}

/** Reads the last saved figures. */
export function readLast<Report>(name: string): Report {
  return JSON.parse(readFileSync(new URL(`${name}.json`, LAST), 'utf8')) as Report;
}

/** Reads the figures behind the page. */
export function readFigures<Report>(): Report {
  return JSON.parse(readFileSync(FIGURES, 'utf8')) as Report;
}

/** Replaces the generated part of `docs/concepts/performance.md`, and the figures behind it. */
export async function savePage(markdown: string, figures: unknown): Promise<void> {
  await write(PAGE, replacePart(readFileSync(PAGE, 'utf8'), markdown));
  await write(FIGURES, JSON.stringify(figures));
}

/** Replaces generated parts of a page by their names. */
export async function saveSections(
  name: keyof typeof PAGES,
  sections: Readonly<Record<string, string>>,
): Promise<void> {
  let page = readFileSync(PAGES[name], 'utf8');
  for (const [part, markdown] of Object.entries(sections)) page = replacePart(page, markdown, part);
  await write(PAGES[name], page);
}

/** Throws when the page lacks the markers of the part. */
export function replacePart(page: string, markdown: string, name = 'figures'): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page lacks ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${markdown}\n\n${page.slice(to)}`;
}

async function write(file: URL, text: string): Promise<void> {
  const config = await resolveConfig(file);
  writeFileSync(file, await format(text, { ...config, filepath: file.pathname }));
}
