import { readFileSync } from 'node:fs';
import test from 'ava';

import { ROOT } from './support/pages.ts';

/* The page compares lines of code; its figures must match the code that it shows. */

const PAGE = readFileSync(`${ROOT}docs/guides/migrating.md`, 'utf8');
const SYSTEMS = ['svc', 'DBOS', 'Inngest'] as const;
const EXAMPLES = `${ROOT}examples/typescript/`;
const JOBS = [
  ['Book a trip', 'book-trip/book-trip.ts'],
  ['Answer a support ticket', 'support-agent/support-agent.ts'],
  ['Send invoices each night', 'nightly-invoices/nightly-invoices.ts'],
  ['Serve the three', 'worker.ts'],
] as const;

for (const [job, file] of JOBS) {
  const listings = SYSTEMS.map((system) => listingsOf(PAGE, `${job}: ${system}`));

  test(`${job}: the code of svc is that of the example, which has tests`, (t) => {
    t.is(listings[0], readFileSync(EXAMPLES + file, 'utf8'));
  });

  test(`${job}: the page counts the lines of each system, and svc needs no more than the others`, (t) => {
    const [ours = 0, ...others] = listings.map(countLines);
    t.true(ours > 5);
    for (const theirs of others) t.true(ours <= theirs, `${ours} lines, and they have ${theirs}`);
    t.deepEqual(figuresOf(PAGE, job), [ours, ...others]);
  });
}

test('blank lines and comments do not count', (t) => {
  const text = 'a\n\n// b\n  /* c\n   * d\n   */\n  /** e */\nf; // g\nh\n';
  t.is(countLines(text), 3);
});

test('listings are those under a heading', (t) => {
  const page =
    '#### A: svc\n\n```ts\na\n```\n\n```ts\nb\n```\n\nText.\n\n#### B\n\n```ts\nc\n```\n';
  t.is(listingsOf(page, 'A: svc'), 'a\nb\n');
  t.throws(() => listingsOf(page, 'C'), { message: 'nothing is shown under C' });
});

/** The code in TypeScript between a heading and the next one. */
function listingsOf(page: string, heading: string): string {
  const [, section = ''] = page.split(`#### ${heading}\n`);
  const [own = ''] = section.split(/^#+ /m);
  const listings = [...own.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text);
  if (listings.length === 0) throw new Error(`nothing is shown under ${heading}`);
  return listings.join('');
}

function countLines(text: string): number {
  const code = text.replaceAll(/^\s*\/\*.*?\*\/\s*$/gms, '');
  return code.split('\n').filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length;
}

function figuresOf(page: string, job: string): readonly number[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${job} `)) ?? '';
  return [...row.matchAll(/\| (\d+) /g)].map(([, figure]) => Number(figure));
}
