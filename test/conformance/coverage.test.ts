import { readFileSync } from 'node:fs';
import test from 'ava';

import { routes } from '../../src/api/routes.ts';

/* `docs/reference/conformance.md` names only existing tests, and covers every endpoint. */

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/reference/conformance.md', root), 'utf8');
const rows = [...page.matchAll(/^\| (?!Rule |-)(.+?) +\| (.*?) *\| ([a-z ]+?) +\|$/gm)].map(
  ([, rule = '', tests = '', status = '']) => ({
    rule,
    status,
    tests: tests.split('<br>').filter(Boolean),
  }),
);

test('every row is met by tests, or says that it is not', (t) => {
  t.true(rows.length > 120);
  const lines = page.split('\n').filter((line) => /^\| (?!Rule |-)/.test(line));
  t.is(rows.length, lines.length);
  for (const { rule, status, tests } of rows) {
    t.true(['met', 'open', 'not part of this release'].includes(status), rule);
    t.is(tests.length > 0, status === 'met', rule);
  }
});

test('every named test exists under its title', (t) => {
  for (const { rule, tests } of rows) {
    for (const named of tests) {
      const [, path = '', title = ''] = /^`([^`]+)`(?: (.+))?$/.exec(named) ?? [];
      const source = readFileSync(new URL(fileOf(path), root), 'utf8');
      t.true(source.includes(title), `${rule}: ${named}`);
    }
  }
});

test('every endpoint has a row of its own', (t) => {
  const named = rows.flatMap(({ rule }) => {
    const found = /^`([A-Z]+ \/[^`]*)`( \(addition\))?$/.exec(rule);
    return found === null ? [] : [found[1] ?? ''];
  });
  t.deepEqual(named.toSorted(), [...new Set(named)].toSorted());
  for (const { method, path } of routes) t.true(named.includes(`${method} ${path}`), path);
});

test('an endpoint that is served is not open', (t) => {
  const served = new Set(routes.map(({ method, path }) => `\`${method} ${path}\``));
  for (const { rule, status } of rows) if (served.has(rule)) t.is(status, 'met', rule);
});

/** Tests of the companion for Spring are methods of classes. */
function fileOf(path: string): string {
  const [, name] = /^spring\/(\w+)$/.exec(path) ?? [];
  if (name === undefined) return `test/${path}.test.ts`;
  return `sdk/java/svc-spring-boot/src/test/java/io/svc/spring/${name}.java`;
}
