import type { Mapping } from '../expression/mapping.ts';
import { parseMappingPath } from '../expression/mapping-path.ts';
import { parseExpression } from '../expression/parse-expression.ts';
import { findPlaceholders, type Placeholder } from './find-placeholders.ts';

/** Text with places for values. A secret stands in it by name only. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `source` is what the author wrote between the braces. */
  | { readonly kind: 'value'; readonly source: string; readonly mapping: Mapping }
  | { readonly kind: 'secret'; readonly name: string };

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly message: string };

/**
 * Reads `{{expression}}` and `${secret:NAME}`; with `paths` also `{a.b}`, which is a path below
 * the input unless it names a variable, such as `{state.a}`.
 */
export function parseTemplate(
  text: string,
  options: { readonly paths: boolean } = { paths: false },
): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of findPlaceholders(text, options)) {
    parts.push(...literal(text.slice(end, match.start)));
    end = match.end;
    const part = readPlaceholder(match);
    if (typeof part === 'string') return { ok: false, message: part };
    parts.push(part);
  }
  parts.push(...literal(text.slice(end)));
  const hasBrace = (part: TemplatePart) => part.kind === 'text' && /[{}]/.test(part.text);
  if (!options.paths || !parts.some(hasBrace)) return { ok: true, template: parts };
  return { ok: false, message: 'has a brace without its partner' };
}

/** Whether text that means nothing else is a template. */
export function isTemplate(text: string): boolean {
  return findPlaceholders(text, { paths: false }).next().done !== true;
}

export function secretsIn(template: Template): readonly string[] {
  return template.flatMap((part) => (part.kind === 'secret' ? [part.name] : []));
}

const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

function literal(text: string): readonly TemplatePart[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** Text: what is wrong with it. */
function readPlaceholder({ kind, inner, before }: Placeholder): TemplatePart | string {
  const source = inner.trim();
  switch (kind) {
    case 'secret':
      if (SECRET_NAME.test(inner)) return { kind: 'secret', name: inner };
      return `\${secret:…} needs the name of an environment variable, such as \${secret:SVC_SECRET_SHOP}`;
    case 'expression': {
      const parsed = parseExpression(source);
      if (!parsed.ok) return parsed.message;
      const mapping = { kind: 'expression' as const, expression: parsed.expression };
      return { kind: 'value', source, mapping };
    }
    case 'path': {
      if (before === '$') return 'names a secret as ${secret:NAME}';
      const path = readPath(source);
      if (path === null)
        return `{${inner.slice(0, 80)}} is not a path, such as {id} or {state.order.id}`;
      return { kind: 'value', source, mapping: { kind: 'path', path } };
    }
  }
}

function readPath(path: string) {
  const named = parseMappingPath(path);
  if (named !== null) return named;
  return path === '' ? null : parseMappingPath(`$input.${path}`);
}
