import test from 'ava';
import type { Command } from 'commander';

import { createRoleProgram } from '../../bin/boot/create-role-program.ts';
import { createProgram } from '../../bin/cli/create-program.ts';
import { readPage, readPages } from './support/pages.ts';
import { sentencesOf, type Sentence, stumbles, WORDS_MAX } from './support/prose-rules.ts';

/* Sentences for readers are short, and use the field's words: on hand-written pages and in the help. */

/** Written by programs, or a record of the past. */
const LEFT_OUT =
  /^docs\/(?:decisions\/|reference\/(?:cli|configuration|conformance|http-api|metrics)\.md)/;
const HELP_WORDS_MAX = 16;

const pages = readPages().filter(
  ({ path }) => /^(?:README|CONTRIBUTING)\.md$|^docs\//.test(path) && !LEFT_OUT.test(path),
);

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
