/** A placeholder for a value in a template. */
export interface Placeholder {
  readonly kind: 'secret' | 'expression' | 'path';
  readonly inner: string;
  readonly start: number;
  readonly end: number;
  /** The character before it, if there is one. */
  readonly before: string;
}

/**
 * Finds `{{expression}}` and `${secret:NAME}`, with `paths` also `{a.b}`, from left to right. It
 * takes time linear in the text, which a regular expression would not: of many braces without a
 * partner each would be a reason to look through all the rest.
 */
export function* findPlaceholders(
  text: string,
  { paths }: { readonly paths: boolean },
): Generator<Placeholder> {
  const lastBrace = text.lastIndexOf('}');
  const lastPair = text.lastIndexOf('}}');
  for (let at = text.indexOf('{'); at >= 0 && at < lastBrace;) {
    const found = readAt(text, { at, lastPair, paths });
    if (found !== null) yield found;
    at = text.indexOf('{', found?.end ?? at + 1);
  }
}

function readAt(
  text: string,
  of: { readonly at: number; readonly lastPair: number; readonly paths: boolean },
): Placeholder | null {
  const { at, lastPair, paths } = of;
  const before = text[at - 1] ?? '';
  const make = (kind: Placeholder['kind'], inner: readonly [number, number], end: number) => ({
    kind,
    inner: text.slice(...inner),
    start: kind === 'secret' ? at - 1 : at,
    end,
    before,
  });
  if (before === '$' && text.startsWith(SECRET, at)) {
    const from = at + SECRET.length;
    const to = text.indexOf('}', from);
    if (to >= 0) return make('secret', [from, to], to + 1);
  }
  if (text[at + 1] === '{' && at + 2 <= lastPair) {
    const to = text.indexOf('}}', at + 2);
    return make('expression', [at + 2, to], to + 2);
  }
  if (!paths) return null;
  BRACE.lastIndex = at + 1;
  const to = BRACE.exec(text)?.index ?? -1;
  return text[to] === '}' ? make('path', [at + 1, to], to + 1) : null;
}

const SECRET = '{secret:';
const BRACE = /[{}]/g;
