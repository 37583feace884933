import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import test from 'ava';

import { type Page, readPage, readPages, ROOT } from './support/pages.ts';

/* The targets of links between pages exist: files, folders and headings. */

const pages = readPages();

test('every link leads to a file or a heading that exists', (t) => {
  const broken = pages.flatMap((page) => brokenLinks(page, pages));
  t.deepEqual(broken, []);
  t.true(pages.flatMap(linksOf).length > 100);
});

test('every named page of the docs exists', (t) => {
  const named = pages.flatMap(({ prose }) =>
    prose.flatMap(({ text, at }) =>
      [...text.matchAll(/`(docs\/[\w./-]+\.\w+)`/g)].map(([, path = '']) => ({ path, at })),
    ),
  );
  t.true(named.length > 5);
  t.deepEqual(
    named.filter(({ path }) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('every page of the docs is found from the README', (t) => {
  const reached = new Set<string>(['README.md']);
  for (const path of reached) {
    const page = pages.find((one) => one.path === path);
    for (const { target } of page === undefined ? [] : linksOf(page)) {
      const [file = ''] = target.split('#');
      if (file.endsWith('.md')) reached.add(resolve(path, file));
    }
  }
  const lost = pages
    .map(({ path }) => path)
    .filter((path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/'))
    .filter((path) => !reached.has(path));
  t.deepEqual(lost, []);
});

test('a link to nothing is reported', (t) => {
  const page = readPage(
    'docs/one.md',
    [
      '# One',
      '[there](two.md#head) [gone](three.md) [lost](two.md#tail) `[code](no.md)`',
      '[here](#one) [away](#two) [web](https://example.org/x) [ref]: nothing.md',
    ].join('\n'),
  );
  const other = readPage('docs/two.md', '## Head');
  t.deepEqual(
    brokenLinks(page, [page, other], (path) => path === 'docs/two.md'),
    ['docs/one.md:2: three.md', 'docs/one.md:2: two.md#tail', 'docs/one.md:3: #two'],
  );
});

function brokenLinks(
  page: Page,
  all: readonly Page[],
  exists: (path: string) => boolean = (path) => existsSync(join(ROOT, path)),
): readonly string[] {
  return linksOf(page)
    .filter(({ target }) => {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page.path : resolve(page.path, file);
      if (file !== '' && !exists(path)) return true;
      if (anchor === undefined) return false;
      return all.find((one) => one.path === path)?.anchors.has(anchor) !== true;
    })
    .map(({ at, target }) => `${at}: ${target}`);
}

function linksOf({ prose }: Page): readonly { readonly target: string; readonly at: string }[] {
  return prose.flatMap(({ text, at }) =>
    [...text.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(\s*([^)\s]+)[^)]*\)/g)]
      .map(([, target = '']) => ({ target, at }))
      .filter(({ target }) => !/^[a-z]+:/.test(target)),
  );
}

function resolve(from: string, file: string): string {
  return posix.normalize(posix.join(posix.dirname(from), decodeURI(file)));
}
