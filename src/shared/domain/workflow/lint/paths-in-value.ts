import type { Mapping } from '../../expression/mapping.ts';
import { parseMappingPath } from '../../expression/mapping-path.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import { isJsonObject, type JsonValue } from '../../json.ts';
import { isTemplate, parseTemplate } from '../../tools/template.ts';
import { pointerTo } from '../problem.ts';
import type { ValueName } from '../schema/value-definitions.ts';
import { pathsInExpression, type ReadPath } from './paths-in-expression.ts';

export interface PlacedPath extends ReadPath {
  /** Below the value. */
  readonly pointer: string;
}

/** The paths that a value reads, by its type. Syntax errors are reported elsewhere. */
export function pathsInValue(name: ValueName, value: JsonValue): readonly PlacedPath[] {
  switch (name) {
    case 'Expression':
    case 'Condition':
      return typeof value === 'string' ? inExpression(value, '') : [];
    case 'Computed': {
      const isExpression = typeof value === 'string' && !value.startsWith('$');
      return isExpression ? inExpression(value, '') : inMapping(value, '', false);
    }
    case 'Mapping':
      return inMapping(value, '', false);
    case 'Prompt':
      return typeof value === 'string' && !value.startsWith('$')
        ? inTemplate(value, { pointer: '', paths: false })
        : inMapping(value, '', true);
    case 'TextOrPath':
    case 'PromptText':
    case 'HttpHeader':
    case 'HttpBody':
      return inMapping(value, '', true);
    case 'HttpUrl':
      return typeof value === 'string' ? inTemplate(value, { pointer: '', paths: true }) : [];
    case 'NodeId':
    case 'Target':
    case 'JsonSchema':
    case 'SchemaOrReference':
    case 'Duration':
    case 'Globs':
      return [];
  }
}

/** `templates`: text that is no path may be a template. */
function inMapping(value: JsonValue, pointer: string, templates: boolean): readonly PlacedPath[] {
  if (typeof value === 'string') {
    const path = parseMappingPath(value);
    if (path !== null) return [{ ...path, isAskedFor: false, pointer }];
    return templates && isTemplate(value) ? inTemplate(value, { pointer, paths: false }) : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: JsonValue, index) =>
      inMapping(item, `${pointer}/${index}`, templates),
    );
  }
  if (!isJsonObject(value)) return [];
  const [only, ...others] = Object.keys(value);
  if (others.length === 0 && only === 'literal') return [];
  if (others.length === 0 && only === 'expr') {
    const { expr } = value;
    return typeof expr === 'string' ? inExpression(expr, `${pointer}/expr`) : [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    inMapping(item, pointer + pointerTo(key), templates),
  );
}

function inExpression(source: string, pointer: string): readonly PlacedPath[] {
  const parsed = parseExpression(source);
  if (!parsed.ok) return [];
  return pathsInExpression(parsed.expression).map((path) => ({ ...path, pointer }));
}

function inTemplate(
  text: string,
  { pointer, paths }: { readonly pointer: string; readonly paths: boolean },
): readonly PlacedPath[] {
  const parsed = parseTemplate(text, { paths });
  if (!parsed.ok) return [];
  return parsed.template.flatMap((part) =>
    part.kind === 'value' ? inParsed(part.mapping, pointer) : [],
  );
}

/** A placeholder of a template contains one path or one expression. */
function inParsed(mapping: Mapping, pointer: string): readonly PlacedPath[] {
  if (mapping.kind === 'path') return [{ ...mapping.path, isAskedFor: false, pointer }];
  if (mapping.kind !== 'expression') return [];
  return pathsInExpression(mapping.expression).map((path) => ({ ...path, pointer }));
}
