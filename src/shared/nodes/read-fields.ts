import type { Mapping } from '../domain/expression/mapping.ts';
import { parseMapping } from '../domain/expression/mapping.ts';
import type { Expression } from '../domain/expression/parse-expression.ts';
import { parseExpression } from '../domain/expression/parse-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import { DEFAULT_QUEUE, QUEUE_NAME } from '../domain/work/claim-filter.ts';
import { pointerTo } from '../domain/workflow/problem.ts';
import type { ParseContext } from '../domain/workflow/plan/plan.ts';

/** A field that must be there: null means it is not, or is no text, and that this was reported. */
export function readName(fields: JsonObject, name: string, at: ParseContext): string | null {
  const value = fields[name] ?? null;
  if (typeof value === 'string' && value !== '') return value;
  at.problem(
    pointerTo(name),
    value === null || value === '' ? `missing ${name}` : 'must be a string',
  );
  return null;
}

/** Text that may be left out; empty text says nothing, so it counts as left out. */
export function readText(fields: JsonObject, name: string, at: ParseContext): string | null {
  const value = fields[name] ?? null;
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  at.problem(pointerTo(name), 'must be a string');
  return null;
}

/** One of a few words; null: left out, or reported. */
export function readWord<Word extends string>(
  fields: JsonObject,
  { name, words }: { readonly name: string; readonly words: readonly Word[] },
  at: ParseContext,
): Word | null {
  const value = fields[name] ?? null;
  if (value === null) return null;
  const known = words.find((word) => word === value);
  if (known === undefined) at.problem(pointerTo(name), `must be one of ${words.join(', ')}`);
  return known ?? null;
}

/** Null: left out, or reported. */
export function readMapping(fields: JsonObject, name: string, at: ParseContext): Mapping | null {
  const value = fields[name] ?? null;
  return value === null ? null : readMappingValue(value, pointerTo(name), at);
}

/**
 * A value worked out when the node is entered, where plain text would make no sense: text is an
 * expression, unless it starts with `$` and so is a path. Null: left out, or reported.
 */
export function readComputed(fields: JsonObject, name: string, at: ParseContext): Mapping | null {
  const value = fields[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'string' || value.startsWith('$')) {
    return readMappingValue(value, pointerTo(name), at);
  }
  const expression = readExpression(value, pointerTo(name), at);
  return expression === null ? null : { kind: 'expression', expression };
}

/** Null: reported. */
export function readExpression(
  source: string,
  pointer: string,
  at: ParseContext,
): Expression | null {
  const parsed = parseExpression(source);
  if (parsed.ok) return parsed.expression;
  at.problem(pointer, parsed.message);
  return null;
}

/** The JSON Schema that results must satisfy; null when there is none, or an opaque reference. */
export function readOutputSchema(fields: JsonObject, at: ParseContext): JsonObject | null {
  const schema = fields['output_schema'] ?? '';
  if (isJsonObject(schema)) return schema;
  if (typeof schema !== 'string') at.problem('/output_schema', 'must be a JSON Schema object');
  else if (schema !== '') {
    at.warn(
      'not_resolved',
      '/output_schema',
      'is a reference, kept as it is: outputs are not checked against it',
    );
  }
  return null;
}

/** A queue for workers of a kind; null: the default queue, or reported. */
export function readQueueName(fields: JsonObject, at: ParseContext): string | null {
  const name = readText(fields, 'queue', at);
  if (name === null || name === DEFAULT_QUEUE) return null;
  if (QUEUE_NAME.test(name)) return name;
  at.problem('/queue', 'must be 1 to 64 letters, digits, ".", "_" and "-", not with a mark first');
  return null;
}

function readMappingValue(value: JsonValue, pointer: string, at: ParseContext): Mapping | null {
  const parsed = parseMapping(value);
  if (parsed.ok) return parsed.mapping;
  at.problem(pointer + parsed.pointer, parsed.message);
  return null;
}
