/**
 * Writes a pattern of JavaScript (with the flag `u`) in the syntax of RE2, so that it accepts the same
 * texts. The caller has made sure that the pattern is valid JavaScript.
 *
 * The two syntaxes agree on most things. They differ in what `.` and `\s` mean, in how escapes and
 * groups are written, and in brackets inside a class, which RE2 may take for a POSIX class.
 */
export function translatePattern(pattern: string): TranslatedPattern {
  const parts: string[] = [];
  let inClass = false;
  for (let rest = pattern; rest !== '';) {
    const [token = ''] = TOKEN.exec(rest) ?? [];
    rest = rest.slice(token.length);
    const translated = inClass ? inClassOf(token) : outsideOf(token);
    if (typeof translated !== 'string') return translated;
    parts.push(translated);
    if (inClass ? token === ']' : token === '[' || token === '[^') inClass = !inClass;
  }
  return { ok: true, text: parts.join('') };
}

export type TranslatedPattern =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** One escape, the beginning of a group or class, a class that is empty, or one character. */
const TOKEN =
  /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)|\(\?(?:<[=!]|<[^>]*>|[:=!]|[^:]*:)|\[\^?\]|\[\^?|.)/su;

function outsideOf(token: string): string | Refused {
  switch (token) {
    case '.':
      return String.raw`[^\n\r\x{2028}\x{2029}]`;
    case String.raw`\s`:
      return `[${SPACES}]`;
    case String.raw`\S`:
      return `[${NO_SPACES}]`;
    case '[]':
      return String.raw`[^\x{0}-\x{10FFFF}]`;
    case '[^]':
      return String.raw`[\x{0}-\x{10FFFF}]`;
    case '(?=':
    case '(?!':
      return refused('looks ahead');
    case '(?<=':
    case '(?<!':
      return refused('looks behind');
    // Nobody asks what a group has caught.
    case '(':
      return '(?:';
    default:
      break;
  }
  if (token.startsWith('(?<')) return '(?:';
  if (token.startsWith('(?') && token !== '(?:') return refused('changes flags within the pattern');
  if (/^\\(?:[1-9]|k<)/.test(token)) return refused('refers back to a group');
  return escapeOf(token);
}

function inClassOf(token: string): string | Refused {
  switch (token) {
    case String.raw`\s`:
      return SPACES;
    case String.raw`\S`:
      return NO_SPACES;
    case String.raw`\b`:
      return String.raw`\x{8}`;
    default:
      // Inside a class, the syntax that begins a group or a class is plain characters.
      return token.startsWith('\\') ? escapeOf(token) : token.replaceAll('[', String.raw`\[`);
  }
}

function escapeOf(token: string): string {
  const [, kind = '', more = ''] = /^\\(.)(.*)$/su.exec(token) ?? [];
  switch (kind) {
    case 'u':
      return `\\x{${codePointOf(more).toString(16)}}`;
    case 'x':
      return `\\x{${more}}`;
    case 'c':
      return `\\x{${(more.charCodeAt(0) % 32).toString(16)}}`;
    case '0':
      return String.raw`\x{0}`;
    case 'p':
    case 'P':
      return `\\${kind}${more.replace(/^\{(?:Script|sc|General_Category|gc)=/, '{')}`;
    default:
      return token;
  }
}

/** From `1F600` in braces, from `0041`, or from two halves: `d83d\ude00`. */
function codePointOf(digits: string): number {
  if (digits.startsWith('{')) return Number.parseInt(digits.slice(1, -1), 16);
  const [high = 0, low] = digits.split(String.raw`\u`).map((half) => Number.parseInt(half, 16));
  return low === undefined ? high : (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
}

interface Refused {
  readonly ok: false;
  readonly why: string;
}

function refused(why: string): Refused {
  return { ok: false, why };
}

/** JavaScript's white space, and its complement. */
const SPACES = String.raw`\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NO_SPACES = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
