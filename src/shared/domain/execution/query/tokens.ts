import type { QueryProblem } from './problem.ts';

export interface Token {
  readonly kind: 'word' | 'text' | 'operator' | '(' | ')' | ',' | 'end';
  /** Its text, without quotes and escapes. */
  readonly value: string;
  readonly position: number;
  readonly length: number;
}

/** Splits a query into its tokens; the last one is the end. */
export function readTokens(query: string): {
  readonly tokens: readonly Token[];
  readonly problems: readonly QueryProblem[];
} {
  const tokens: Token[] = [];
  const problems: QueryProblem[] = [];
  let position = 0;
  while (position < query.length) {
    const blank = /^\s+/.exec(query.slice(position));
    if (blank !== null) {
      position += blank[0].length;
      continue;
    }
    const token = readToken(query, position);
    if (token === null) {
      const message = 'this character is part of no condition; put text in double quotes';
      problems.push({ position, length: 1, message, expected: [] });
      position += 1;
      continue;
    }
    if (token.kind === 'text' && !isClosed(query, token)) {
      const { length } = token;
      problems.push({ position, length, message: 'the quote is not closed', expected: ['"'] });
    }
    tokens.push(token);
    position += token.length;
  }
  tokens.push({ kind: 'end', value: '', position, length: 0 });
  return { tokens, problems };
}

const WORD = /^[\p{L}\p{N}_+-][\p{L}\p{N}_.:/@+*-]*/u;
const OPERATOR = /^(?:!=|>=|<=|=|~|>|<)/;
const TEXT = /^(["'])(?:\\.|(?!\1)[^\\])*(?:\1|\\?$)/su;

function readToken(query: string, position: number): Token | null {
  const rest = query.slice(position);
  const first = rest.charAt(0);
  if (first === '(' || first === ')' || first === ',') {
    return { kind: first, value: first, position, length: 1 };
  }
  const operator = OPERATOR.exec(rest)?.[0];
  if (operator !== undefined) {
    return { kind: 'operator', value: operator, position, length: operator.length };
  }
  const quoted = TEXT.exec(rest)?.[0];
  if (quoted !== undefined) {
    const body = quoted.slice(1, isClosedText(quoted) ? -1 : undefined);
    const value = body.replaceAll(/\\(.)/gsu, '$1');
    return { kind: 'text', value, position, length: quoted.length };
  }
  const word = WORD.exec(rest)?.[0];
  return word === undefined ? null : { kind: 'word', value: word, position, length: word.length };
}

function isClosed(query: string, { position, length }: Token): boolean {
  return isClosedText(query.slice(position, position + length));
}

/** Escapes come in pairs, so an odd number of backslashes keeps the last quote inside. */
function isClosedText(quoted: string): boolean {
  if (quoted.length < 2 || quoted.at(-1) !== quoted[0]) return false;
  const escapes = /\\*$/.exec(quoted.slice(1, -1))?.[0].length ?? 0;
  return escapes % 2 === 0;
}
