import { RE2JS } from 're2js';

import { translatePattern } from './translate-pattern.ts';

/** A compiled `pattern` of a schema; equal texts share one. */
export interface TextPattern {
  test(text: string): boolean;
  toString(): string;
}

export type LinearPattern =
  | { readonly ok: true; readonly pattern: TextPattern }
  /** It cannot be matched in linear time; `why` reads after "it". */
  | { readonly ok: false; readonly why: string };

/**
 * A pattern of JavaScript that is matched in time linear in the text, by RE2's method: every pattern
 * is an automaton that reads each character once. Throws a SyntaxError where JavaScript would.
 */
export function linearPattern(source: string): LinearPattern {
  // Schemas promise the dialect of JavaScript, so what only RE2 understands is no pattern.
  void new RegExp(source, 'u');
  if (source.length > SOURCE_CHARS_MAX) return tooLarge();
  const translated = translatePattern(source);
  if (!translated.ok) return translated;
  try {
    const compiled = RE2JS.compile(translated.text);
    if (compiled.programSize() > PROGRAM_SIZE_MAX) return tooLarge();
    return {
      ok: true,
      pattern: { test: (text) => compiled.test(text), toString: () => source },
    };
  } catch (error) {
    return { ok: false, why: `uses what RE2 cannot match (${reasonOf(error)})` };
  }
}

/** Matching takes up to the size of the program times the length of the text. */
const PROGRAM_SIZE_MAX = 10_000;
const SOURCE_CHARS_MAX = 8192;

function tooLarge(): LinearPattern {
  return { ok: false, why: 'is too large' };
}

/** RE2's own words, such as "invalid repeat count: `{1,2000}`". */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace('error parsing regexp: ', '');
}
