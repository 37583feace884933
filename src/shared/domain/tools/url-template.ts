import { parseTemplate, type Template } from './template.ts';

/**
 * The address of a tool. Scheme, host and port are the author's words; values have their places in
 * the path and in the query, where they cannot change what they stand in.
 */
export interface UrlTemplate {
  readonly origin: string;
  readonly path: Template;
  /** Null: no query. */
  readonly query: Template | null;
}

export type ParsedUrlTemplate =
  | { readonly ok: true; readonly url: UrlTemplate }
  | { readonly ok: false; readonly message: string };

export function parseUrlTemplate(text: string): ParsedUrlTemplate {
  const refuse = (message: string): ParsedUrlTemplate => ({ ok: false, message });
  const [, origin, rest = ''] = ORIGIN.exec(text) ?? [];
  if (origin === undefined || !URL.canParse(origin)) {
    return refuse(
      'must begin with http:// or https:// and a host, written out: ' +
        'values may only stand in the path and the query',
    );
  }
  if (/[\p{Cc}\\]/u.test(text)) return refuse('has a control character or a backslash');
  const parsed = parseTemplate(rest, { paths: true });
  if (!parsed.ok) return refuse(parsed.message);
  if (literalText(parsed.template).includes('#')) {
    return refuse('has a fragment, which is never sent');
  }
  const { path, query } = splitAtQuery(parsed.template);
  if (segmentsOf(literalText(path)).some(isDotSegment)) {
    return refuse('has a path with . or .. in it: write it without');
  }
  return { ok: true, url: { origin: new URL(origin).origin, path, query } };
}

export function segmentsOf(path: string): readonly string[] {
  return path.split('/');
}

/** As URL parsers take it, percent-encoded or not. */
export function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** The words between the values; a value stands as one letter, so that it separates nothing. */
function literalText(template: Template): string {
  return template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
}

function splitAtQuery(template: Template): Pick<UrlTemplate, 'path' | 'query'> {
  const index = template.findIndex((part) => part.kind === 'text' && part.text.includes('?'));
  const part = template[index];
  if (part?.kind !== 'text') return { path: template, query: null };
  const mark = part.text.indexOf('?');
  return {
    path: [...template.slice(0, index), { kind: 'text', text: part.text.slice(0, mark) }],
    query: [{ kind: 'text', text: part.text.slice(mark + 1) }, ...template.slice(index + 1)],
  };
}

/** The host ends where the path or the query begins, or with the text; no name and no password. */
const ORIGIN = /^(https?:\/\/[^/?#\\@{}$\s]+)((?=[/?#]).*)?$/isu;
