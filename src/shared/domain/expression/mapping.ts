import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { findResultProblem } from './check-result.ts';
import { evaluateExpression, shareSteps, type StepBudget } from './evaluate-expression.ts';
import type { EvaluationResult, Expression, ExpressionScope } from './expression.ts';
import type { MappingPath } from './mapping-path.ts';
import { followMappingPath, parseMappingPath } from './mapping-path.ts';
import { parseExpression } from './parse-expression.ts';

/**
 * The source of a node's input or output: paths, expressions, literals, and lists and objects of
 * these.
 */
export type Mapping =
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'path'; readonly path: MappingPath }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'list'; readonly items: readonly Mapping[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Mapping])[] };

/** `pointer` is the JSON pointer, within the mapping, of what was refused. */
export type ParsedMapping =
  | { readonly ok: true; readonly mapping: Mapping }
  | { readonly ok: false; readonly pointer: string; readonly message: string };

const DEPTH_MAX = 64;

/**
 * Parses a mapping of a workflow:
 *
 * - `"$.a.b[0]"`, `"state.a.b"`, `"$output.x"`, `"$input"`: a path, when the whole string is one;
 * - `{"literal": …}`: the value, unchanged;
 * - `{"expr": "…"}`: a CEL expression;
 * - lists and objects: each of their members is a mapping;
 * - anything else, such as a string that is no path: the value, unchanged.
 */
export function parseMapping(raw: JsonValue): ParsedMapping {
  return parseAt(raw, '', DEPTH_MAX);
}

/**
 * Evaluates a mapping. An absent path gives null; the first expression that fails fails it all.
 * A list or object put together here has the bounds of an expression's result, and all its expressions
 * together those of `shared`.
 */
export function evaluateMapping(
  mapping: Mapping,
  scope: ExpressionScope,
  shared: StepBudget = shareSteps(scope),
): EvaluationResult {
  const result = evaluateAt(mapping, scope, shared);
  if (!result.ok || (mapping.kind !== 'list' && mapping.kind !== 'object')) return result;
  const problem = findResultProblem(result.value);
  return problem === null ? result : { ok: false, message: `mapping: ${problem}` };
}

function evaluateAt(
  mapping: Mapping,
  scope: ExpressionScope,
  shared: StepBudget,
): EvaluationResult {
  switch (mapping.kind) {
    case 'literal':
      return { ok: true, value: mapping.value };
    case 'path':
      return { ok: true, value: followMappingPath(mapping.path, scope) };
    case 'expression':
      return evaluateExpression(mapping.expression, scope, shared);
    case 'list': {
      const values: JsonValue[] = [];
      for (const item of mapping.items) {
        const result = evaluateAt(item, scope, shared);
        if (!result.ok) return result;
        values.push(result.value);
      }
      return { ok: true, value: values };
    }
    case 'object': {
      const entries: [string, JsonValue][] = [];
      for (const [key, item] of mapping.entries) {
        const result = evaluateAt(item, scope, shared);
        if (!result.ok) return result;
        entries.push([key, result.value]);
      }
      return { ok: true, value: Object.fromEntries(entries) };
    }
  }
}

function parseAt(raw: JsonValue, pointer: string, depthLeft: number): ParsedMapping {
  if (depthLeft === 0) return refuse(pointer, `nested deeper than ${DEPTH_MAX}`);
  if (typeof raw === 'string') {
    const path = parseMappingPath(raw);
    return accept(path === null ? { kind: 'literal', value: raw } : { kind: 'path', path });
  }
  if (Array.isArray(raw)) return parseList(raw, pointer, depthLeft);
  if (!isJsonObject(raw)) return accept({ kind: 'literal', value: raw });
  const keys = Object.keys(raw);
  if (keys.length === 1 && keys[0] === 'literal') {
    return accept({ kind: 'literal', value: raw['literal'] ?? null });
  }
  if (keys.length === 1 && keys[0] === 'expr') return parseExpr(raw['expr'] ?? null, pointer);
  return parseObject(raw, pointer, depthLeft);
}

function parseList(raw: readonly JsonValue[], pointer: string, depthLeft: number): ParsedMapping {
  const items: Mapping[] = [];
  for (const [index, item] of raw.entries()) {
    const parsed = parseAt(item, `${pointer}/${index}`, depthLeft - 1);
    if (!parsed.ok) return parsed;
    items.push(parsed.mapping);
  }
  return accept({ kind: 'list', items });
}

function parseExpr(source: JsonValue, pointer: string): ParsedMapping {
  if (typeof source !== 'string') return refuse(`${pointer}/expr`, 'must be a string of CEL');
  const parsed = parseExpression(source);
  if (!parsed.ok) return refuse(`${pointer}/expr`, parsed.message);
  return accept({ kind: 'expression', expression: parsed.expression });
}

function parseObject(
  raw: { readonly [key: string]: JsonValue },
  pointer: string,
  depthLeft: number,
): ParsedMapping {
  const entries: [string, Mapping][] = [];
  for (const [key, value] of Object.entries(raw)) {
    const inner = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
      return refuse(inner, `the key ${key} is not allowed`);
    }
    const parsed = parseAt(value, inner, depthLeft - 1);
    if (!parsed.ok) return parsed;
    entries.push([key, parsed.mapping]);
  }
  return accept({ kind: 'object', entries });
}

function accept(mapping: Mapping): ParsedMapping {
  return { ok: true, mapping };
}

function refuse(pointer: string, message: string): ParsedMapping {
  return { ok: false, pointer, message };
}
