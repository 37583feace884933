import test from 'ava';
import type { Command } from 'commander';

import { createRoleProgram } from '../../bin/boot/create-role-program.ts';
import { createProgram } from '../../bin/cli/create-program.ts';
import { sentencesOfCode, sentencesOfSource } from './support/code-texts.ts';
import { titlesOfSource, titlesOfTests } from './support/test-titles.ts';
import { readPage, readPages } from './support/pages.ts';
import { sentencesOf, type Sentence, stumbles, WORDS_MAX } from './support/prose-rules.ts';

/*
 * Sentences for readers are short, and use the field's words: on pages, in the help, in comments
 * and messages of the code, and in the titles of tests.
 */

/** This page lists tests by their titles. */
const LEFT_OUT = /^docs\/reference\/conformance\.md/;
const HELP_WORDS_MAX = 16;
/** This file: its strings are samples of phrases to find. */
const SAMPLES = /^test\/docs\/prose\.test\.ts:/;

const pages = readPages().filter(({ path }) => !LEFT_OUT.test(path));

test('pages are written in plain English', (t) => {
  t.true(pages.length > 30);
  t.deepEqual(
    pages.flatMap((page) => [...stumbles(sentencesOf(page))]),
    [],
  );
});

test('the help of every command is written in plain English', (t) => {
  const programs = [createProgram(), createRoleProgram('api'), createRoleProgram('scheduler')];
  const texts = programs.flatMap(helpOf);
  t.true(texts.length > 150);
  t.deepEqual(stumbles(texts), []);
  t.deepEqual(
    texts.filter(({ text }) => text.split(' ').length > HELP_WORDS_MAX),
    [],
  );
});

test('comments and messages are written in plain English', (t) => {
  const sentences = sentencesOfCode([
    '{src,bin,examples,bench,deploy,test}/**/*.ts',
    'sdk/*/{src,template}/**/*.ts',
  ]).filter(({ at }) => !SAMPLES.test(at));
  t.true(sentences.length > 20_000);
  t.deepEqual(stumbles(sentences), []);
});

test('titles of tests are written in plain English', (t) => {
  const titles = titlesOfTests(['test/**/*.ts']);
  t.true(titles.length > 4_000);
  t.deepEqual(stumbles(titles), []);
});

test('tics are found in titles of tests and of their tables, and nowhere else', (t) => {
  const source = [
    "test('200: whoever waits is answered', async (t) => {",
    "  t.is(answer, 'whoever', 'anew');",
    '});',
    'test.serial(',
    '  `${dialect}: what is wrong is refused`,',
    '  rejects,',
    ');',
    "const CASES = [{ title: 'of twenty one does', text: 'it goes on' }];",
    "test('what fails: the rest', t => t.pass());",
  ].join('\n');
  t.deepEqual(
    stumbles(titlesOfSource('a.ts', source)).map((found) => found.replace(/: write .*/, '')),
    [
      'a.ts:1: "Whoever"',
      'a.ts:5: "What is wrong is refused."',
      'a.ts:8: "Of"',
      'a.ts:9: "What fails:"',
    ],
  );
});

test('tics are found in comments, messages and comments of SQL, and nowhere else', (t) => {
  const source = [
    '/** One line. It is there. */',
    '/*',
    ' * The first. What ends',
    ' * is over.',
    ' *',
    ' * - anew',
    ' */',
    'const anew = /it is there anew`/;',
    '// The item',
    '// is told.',
    "const url = 'https://anew.example/';",
    'throw new Error(`item ${anew ? `is there` : { id }} goes on ` +',
    "  'with the next attempt');",
    'const SQL = `',
    '  -- Whoever asks.',
    '  select anew from items where is_there',
    '  order by anew`;',
    "for (; left > 0; left--) use('anew', left);",
  ].join('\n');
  t.deepEqual(
    stumbles(sentencesOfSource('a.ts', source)).map((found) => found.replace(/: write .*/, '')),
    [
      'a.ts:1: "is there"',
      'a.ts:2: "What ends is over."',
      'a.ts:2: "anew"',
      'a.ts:9: "is told"',
      'a.ts:12: "goes on"',
      'a.ts:14: "Whoever"',
    ],
  );
});

test('a long sentence and each tic are found', (t) => {
  const long = `${'word '.repeat(WORDS_MAX)}word.`;
  const page = readPage(
    'docs/one.md',
    [
      '# What is left',
      'Whoever asks is told of it. It goes on, as it',
      'were, anew. `whoever`',
      '',
      '| it stays for good | fine |',
      '',
      '<!-- figures: begin -->',
      'It is there in vain.',
      '<!-- figures: end -->',
      '',
      `- ${long} Short.`,
      '- What ends is over. What ends it?',
    ].join('\n'),
  );
  t.deepEqual(
    stumbles(sentencesOf(page)).map((found) => found.split(': ').slice(0, 2).join(': ')),
    [
      'docs/one.md:2: "Whoever"',
      'docs/one.md:2: "is told"',
      'docs/one.md:2: "anew"',
      'docs/one.md:2: "goes on"',
      'docs/one.md:2: "as it were"',
      'docs/one.md:5: "for good"',
      `docs/one.md:11: ${WORDS_MAX + 1} words`,
      'docs/one.md:12: "What ends is over."',
    ],
  );
});

function helpOf(command: Command): readonly Sentence[] {
  const { name, parent } = namesOf(command);
  const at = [...parent, name].join(' ');
  return [
    { text: command.description(), at },
    ...command.registeredArguments.map((each) => ({ text: each.description, at })),
    ...command.options.map((each) => ({ text: each.description, at: `${at} ${each.flags}` })),
    ...command.commands.flatMap(helpOf),
  ];
}

function namesOf(command: Command): { readonly name: string; readonly parent: readonly string[] } {
  const above = command.parent === null ? null : namesOf(command.parent);
  return { name: command.name(), parent: above === null ? [] : [...above.parent, above.name] };
}
