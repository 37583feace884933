import { parseMapping, type Mapping } from '../expression/mapping.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { isTemplate, parseTemplate, type Template } from './template.ts';

/** A body: text sent as it is, or JSON put together from values, which cannot break its structure. */
export type BodyTemplate =
  | { readonly kind: 'text'; readonly template: Template }
  | { readonly kind: 'json'; readonly value: JsonTemplate };

export type JsonTemplate =
  | { readonly kind: 'mapping'; readonly mapping: Mapping }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'list'; readonly items: readonly JsonTemplate[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, JsonTemplate])[] };

export type ParsedBody =
  | { readonly ok: true; readonly body: BodyTemplate }
  | { readonly ok: false; readonly pointer: string; readonly message: string };

/**
 * A mapping (see `mapping.ts`) in which strings may also be templates. A string as the whole body is
 * text, unless it is a path, or JSON with templates in its strings.
 */
export function parseBody(raw: JsonValue): ParsedBody {
  try {
    return { ok: true, body: readBody(raw) };
  } catch (error) {
    if (!(error instanceof BodyRefusal)) throw error;
    return { ok: false, pointer: error.pointer, message: error.message };
  }
}

class BodyRefusal extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

function readBody(raw: JsonValue): BodyTemplate {
  if (typeof raw !== 'string') return { kind: 'json', value: readJson(raw, '') };
  const mapping = readMapping(raw, '');
  if (mapping.kind === 'path') return { kind: 'json', value: { kind: 'mapping', mapping } };
  const looksLikeJson = /^\s*[[{]/.test(raw);
  if (!isTemplate(raw) || !looksLikeJson) return { kind: 'text', template: readText(raw, '') };
  return { kind: 'json', value: readJson(parseJson(raw), '') };
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new BodyRefusal(
      '',
      'looks like JSON with values put into it: write the body as an object, ' +
        'so that no value can change its structure',
    );
  }
}

function readJson(raw: JsonValue, pointer: string): JsonTemplate {
  if (typeof raw === 'string' && isTemplate(raw)) {
    const template = readText(raw, pointer);
    const [only, ...others] = template;
    // A value alone keeps its type.
    if (others.length === 0 && only?.kind === 'value') {
      return { kind: 'mapping', mapping: only.mapping };
    }
    return { kind: 'template', template };
  }
  if (Array.isArray(raw)) {
    const items = raw.map((item: JsonValue, index) => readJson(item, `${pointer}/${index}`));
    return { kind: 'list', items };
  }
  if (!isJsonObject(raw) || isSpecial(raw)) {
    return { kind: 'mapping', mapping: readMapping(raw, pointer) };
  }
  const entries = Object.entries(raw).map(([key, value]) => {
    const inner = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [key, readJson(value, inner)] as const;
  });
  return { kind: 'object', entries };
}

/** `{"expr": …}` and `{"literal": …}`, as in a mapping. */
function isSpecial(raw: { readonly [key: string]: JsonValue }): boolean {
  const [key, ...others] = Object.keys(raw);
  return others.length === 0 && (key === 'expr' || key === 'literal');
}

function readMapping(raw: JsonValue, pointer: string): Mapping {
  const parsed = parseMapping(raw);
  if (parsed.ok) return parsed.mapping;
  throw new BodyRefusal(pointer + parsed.pointer, parsed.message);
}

function readText(text: string, pointer: string): Template {
  const parsed = parseTemplate(text);
  if (parsed.ok) return parsed.template;
  throw new BodyRefusal(pointer, parsed.message);
}
