import { globSync, readFileSync } from 'node:fs';

import { ROOT } from './pages.ts';
import { type Sentence, splitSentences } from './prose-rules.ts';

/** A comment, or a string with the strings that `+` joins to it. */
export interface CodeText {
  readonly is: 'comment' | 'string';
  readonly text: string;
  /** Counted from 0. */
  readonly line: number;
  /** Offsets in the source: of the first character, and after the last. */
  readonly from: number;
  readonly end: number;
}

/** Only the comments in SQL are prose. */
const SQL = /\b(?:select|insert into|update|delete from|from|join|where|order by)\s/;
/** Generated pages and scripts. */
const MARKUP = /^(?:<!|# )/;
/** Shorter strings are names and fragments. */
const STRING_WORDS_MIN = 4;

/** The sentences of comments and messages in source files. */
export function sentencesOfCode(patterns: readonly string[]): readonly Sentence[] {
  return globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules'] })
    .toSorted()
    .flatMap((path) => sentencesOfSource(path, readFileSync(ROOT + path, 'utf8')));
}

export function sentencesOfSource(path: string, source: string): readonly Sentence[] {
  return mergeLines(textsOf(source)).flatMap(({ is, text, line }) => {
    const prose = is === 'comment' ? withoutMarks(text) : proseOf(text);
    const at = `${path}:${line + 1}`;
    return paragraphsOf(prose).flatMap((paragraph) => splitSentences(paragraph, at));
  });
}

function withoutMarks(comment: string): string {
  return comment.replace(/\s*\*\/$/, '').replaceAll(/^\s*(?:\/\*\*?|\*|\/\/)\s?/gm, '');
}

function proseOf(text: string): string {
  const isLong = text.includes('\n');
  if (isLong && SQL.test(text)) return (text.match(/(?<=^\s*-- ).*$/gm) ?? []).join('\n');
  const words = text.split(/\s+/).filter((word) => /^[a-z]/i.test(word));
  return words.length < STRING_WORDS_MIN || (isLong && MARKUP.test(text)) ? '' : text;
}

/** A blank line begins a paragraph, and so does an item of a list or a row of a table. */
function paragraphsOf(prose: string): readonly string[] {
  const paragraphs: string[] = [];
  for (const line of prose.split('\n')) {
    if (/^\s*(?:$|[-*|]|\d+\.)/.test(line) || paragraphs.length === 0) paragraphs.push('');
    paragraphs.push(`${paragraphs.pop() ?? ''} ${line.trim()}`.trim());
  }
  return paragraphs;
}

/** Consecutive line comments are one text. */
function mergeLines(texts: readonly CodeText[]): readonly CodeText[] {
  const merged: (CodeText & { readonly lastLine?: number })[] = [];
  for (const text of texts) {
    const before = merged.at(-1);
    const isLine = text.is === 'comment' && text.text.startsWith('//');
    if (isLine && before?.lastLine === text.line - 1) {
      const joined = `${before.text}\n${text.text}`;
      merged.splice(-1, 1, { ...before, text: joined, lastLine: text.line });
    } else merged.push(isLine ? { ...text, lastLine: text.line } : text);
  }
  return merged;
}

const TOKENS =
  /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`|(?<=[=(,:[!&|?{};\n>]\s*|return )\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[{}]/g;

/** Comments and strings in their order; `X` replaces each interpolation of a template. */
export function textsOf(source: string): readonly CodeText[] {
  const texts: CodeText[] = [];
  scanCode(source, 0, (text) => {
    const before = texts.at(-1);
    const between = before === undefined ? '' : source.slice(before.end, text.from);
    const isJoined = before?.is === 'string' && text.is === 'string' && /^\s*\+\s*$/.test(between);
    if (isJoined) texts.splice(-1, 1, { ...before, text: before.text + text.text, end: text.end });
    else texts.push(text);
  });
  return texts;
}

/**
 * Reports every text from an offset on, and returns the offset of the brace that closes an
 * interpolation.
 */
function scanCode(source: string, from: number, onText: (text: CodeText) => void): number {
  const tokens = new RegExp(TOKENS);
  tokens.lastIndex = from;
  for (let depth = 0; ;) {
    const found = tokens.exec(source);
    if (found === null) return source.length;
    const { 0: token, index } = found;
    if (token === '{') depth += 1;
    else if (token === '}' && depth === 0) return index;
    else if (token === '}') depth -= 1;
    else if (token === '`') {
      const { text, end } = scanTemplate(source, index + 1, onText);
      onText({ is: 'string', text, from: index, end, line: lineAt(source, index) });
      tokens.lastIndex = end;
    } else if (/^['"]|^\/[/*]/.test(token)) {
      const is = token.startsWith('/') ? 'comment' : 'string';
      const text = is === 'comment' ? token : token.slice(1, -1);
      onText({ is, text, from: index, end: tokens.lastIndex, line: lineAt(source, index) });
    }
  }
}

function scanTemplate(
  source: string,
  from: number,
  onText: (text: CodeText) => void,
): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = from; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === '`') return { text, end: at + 1 };
    if (source.startsWith('${', at)) {
      text += 'X';
      at = scanCode(source, at + 2, onText);
    } else if (character === '\\') {
      at += 1;
      text += source[at] ?? '';
    } else text += character;
  }
  return { text, end: source.length };
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length - 1;
}
