/** One import of a module: a declaration, a re-export, a call of `import()`, or a module's URL. */
export type Import = {
  readonly specifier: string;
  /** The text between the keyword and `from`, without `type`. */
  readonly clause: string;
  /** It disappears at run time. */
  readonly isType: boolean;
  readonly line: number;
};

const NAMES = String.raw`(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?|[\w$]+)`;
const DECLARATION = new RegExp(
  String.raw`^[ \t]*(?:import|export)\b\s*` +
    String.raw`(?:(?<clause>(?:type\b\s*)?${NAMES}(?:\s*,\s*${NAMES})?)\s*from\s*)?` +
    String.raw`(?<quote>['"])(?<specifier>[^'"\n]+)\k<quote>`,
  'gm',
);
const CALL = /\bimport\(\s*['"`](?<specifier>[^'"`\n]+)['"`]\s*\)/g;
/** Worker threads name their code this way. */
const MODULE_URL = /\bnew URL\(\s*['"](?<specifier>[^'"\n]+\.(?:ts|js))['"],\s*import\.meta\.url/g;

/**
 * The imports of a TypeScript or JavaScript source. Comments and contents of strings do not count.
 */
export function readImports(source: string): Import[] {
  const text = maskSource(source, { keepStrings: true });
  const imports: Import[] = [];
  for (const pattern of [DECLARATION, CALL, MODULE_URL]) {
    for (const match of text.matchAll(pattern)) {
      const { clause = '', specifier = '' } = match.groups ?? {};
      // Text inside a string or a template may only look like an import.
      if (isMaskedAt(source, match.index + match[0].search(/\S/))) continue;
      imports.push({
        specifier,
        clause: clause.trim().replace(/^type\b\s*/, ''),
        isType: /^type\b/.test(clause),
        line: source.slice(0, match.index + match[0].search(/\S/)).split('\n').length,
      });
    }
  }
  return imports;
}

const TOKENS = [
  String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
  String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
  String.raw`(?<template>${'`'}(?:\\[\s\S]|[^${'`'}\\])*${'`'})`,
  // A slash begins a regular expression only where a value is expected.
  String.raw`(?<regex>(?<=[=(,:[!&|?{};>]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*)`,
];
const TOKEN = new RegExp(TOKENS.join('|'), 'g');

/**
 * Replaces comments, regular expressions and, by default, strings with spaces; positions do not
 * change. It keeps templates, because they contain code.
 */
export function maskSource(source: string, options: { keepStrings?: boolean } = {}): string {
  return source.replaceAll(TOKEN, (token: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    if (groups['template'] !== undefined) return token;
    if (groups['string'] !== undefined && options.keepStrings === true) return token;
    return token.replaceAll(/[^\n]/g, ' ');
  });
}

function isMaskedAt(source: string, position: number): boolean {
  for (const token of source.matchAll(TOKEN)) {
    if (token.index > position) return false;
    if (position < token.index + token[0].length) return true;
  }
  return false;
}
