import { globSync, readFileSync } from 'node:fs';

import { type CodeText, textsOf } from './code-texts.ts';
import { ROOT } from './pages.ts';
import { type Sentence, splitSentences } from './prose-rules.ts';

/** The titles of the tests in files, as sentences. */
export function titlesOfTests(patterns: readonly string[]): readonly Sentence[] {
  return globSync(patterns, { cwd: ROOT })
    .toSorted()
    .flatMap((path) => titlesOfSource(path, readFileSync(ROOT + path, 'utf8')));
}

export function titlesOfSource(path: string, source: string): readonly Sentence[] {
  return textsOf(source)
    .filter((text) => isTitle(source, text))
    .flatMap(({ text, line }) => splitSentences(text, `${path}:${line + 1}`))
    .map(({ text, at }) => ({ text: asSentence(text), at }));
}

const LOOKBEHIND = 40;
const LOOKAHEAD = 40;
const TESTS = /\btest(?:\.serial)?\(\s*$/;
const CALLS = /\w\(\s*$/;
const FUNCTION = /^,\s*(?:async\s*)?(?:\(|\w+ =>|function\b)/;

/** The first argument of `test`, or of a call with a function; the member `title` of a table. */
function isTitle(source: string, { is, from, end }: CodeText): boolean {
  if (is !== 'string') return false;
  const before = source.slice(Math.max(0, from - LOOKBEHIND), from);
  if (/\btitle: *$/.test(before) || TESTS.test(before)) return true;
  return CALLS.test(before) && FUNCTION.test(source.slice(end, end + LOOKAHEAD));
}

/** A title has neither a capital letter nor a full stop. */
function asSentence(title: string): string {
  const ended = /[.:;]$/.test(title) ? title : `${title}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
