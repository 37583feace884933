import { parseExpression } from '../expression/parse-expression.ts';
import type { Expression } from '../expression/expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Something that must hold, as an expression; what its author says when it does not. */
export interface PolicyRule {
  readonly name: string;
  readonly condition: Expression;
  readonly message: string;
}

/**
 * Reads a list of rules, and reports errors to `problem` with relative pointers. Null: it reported
 * some.
 */
export function parseRules(
  raw: JsonValue,
  problem: (pointer: string, message: string) => void,
): readonly PolicyRule[] | null {
  if (!Array.isArray(raw) || raw.length === 0) {
    problem('', 'must be a list of rules {condition, name?, message?}, one at least');
    return null;
  }
  const rules = raw.map((rule: JsonValue, index) => {
    const at = (pointer: string, message: string) => problem(`/${index}${pointer}`, message);
    if (isJsonObject(rule)) return parseRule(rule, index, at);
    at('', 'must be a rule {condition, name?, message?}');
    return null;
  });
  const read = rules.filter((rule) => rule !== null);
  return read.length === rules.length ? read : null;
}

function parseRule(
  raw: JsonObject,
  index: number,
  problem: (pointer: string, message: string) => void,
): PolicyRule | null {
  const name = readText(raw, 'name', problem) ?? `rule ${index + 1}`;
  const message = readText(raw, 'message', problem) ?? `${name} does not hold`;
  const source = raw['condition'] ?? null;
  if (typeof source !== 'string' || source === '') {
    problem('/condition', source === null ? 'missing condition' : 'must be an expression');
    return null;
  }
  const parsed = parseExpression(source);
  if (parsed.ok) return { name, condition: parsed.expression, message };
  problem('/condition', parsed.message);
  return null;
}

function readText(
  raw: JsonObject,
  field: string,
  problem: (pointer: string, message: string) => void,
): string | null {
  const value = raw[field] ?? null;
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  problem(`/${field}`, 'must be a string');
  return null;
}
