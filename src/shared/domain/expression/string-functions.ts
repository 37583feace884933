import type { JsonValue } from '../json.ts';
import type { ExpressionFunction } from './expression-function.ts';
import type { StepBudget } from './step-budget.ts';
import { EvaluationFailure } from './step-budget.ts';
import { isList, kindOf } from './values.ts';

/**
 * The methods of strings, and `join` of lists. Positions and sizes count code points, as CEL
 * says; that also keeps every result free of lone surrogates, which no store accepts.
 */
export const STRING_FUNCTIONS: readonly (readonly [string, ExpressionFunction])[] = [
  ['startsWith', method(1, 1, startsWith)],
  ['endsWith', method(1, 1, endsWith)],
  ['contains', method(1, 1, contains)],
  ['indexOf', method(1, 1, indexOf)],
  ['lastIndexOf', method(1, 1, lastIndexOf)],
  ['charAt', method(1, 1, charAt)],
  ['substring', method(1, 2, substring)],
  ['lowerAscii', method(0, 0, (args) => mapAscii(args, /[A-Z]+/g, (part) => part.toLowerCase()))],
  ['upperAscii', method(0, 0, (args) => mapAscii(args, /[a-z]+/g, (part) => part.toUpperCase()))],
  ['trim', method(0, 0, (args) => text(args, 0, 'trim').trim())],
  ['replace', method(2, 2, replace)],
  ['split', method(1, 1, split)],
  ['join', method(0, 1, join)],
];

/** How many code points a string holds: what `size()` answers. */
export function codePointCount(value: string): number {
  if (isBasic(value)) return value.length;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

type Apply = ExpressionFunction['apply'];

/** A method; `argsMin` and `argsMax` leave out the receiver, whose length is charged here. */
function method(argsMin: number, argsMax: number, apply: Apply): ExpressionFunction {
  return {
    forms: ['method'],
    argsMin: argsMin + 1,
    argsMax: argsMax + 1,
    apply: (args, budget) => {
      if (typeof args[0] === 'string') budget.characters(args[0].length);
      return apply(args, budget);
    },
  };
}

function text(args: readonly JsonValue[], index: number, name: string): string {
  const value = args[index] ?? null;
  if (typeof value === 'string') return value;
  const role = index === 0 ? `${name}() called on` : `${name}() given`;
  throw new EvaluationFailure(`${role} ${kindOf(value)} instead of a string`);
}

function position(
  args: readonly JsonValue[],
  index: number,
  { name, max }: { readonly name: string; readonly max: number },
): number {
  const value = args[index] ?? null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) {
    return value;
  }
  throw new EvaluationFailure(`${name}() given a position outside the string`);
}

function startsWith(args: readonly JsonValue[]): JsonValue {
  return text(args, 0, 'startsWith').startsWith(text(args, 1, 'startsWith'));
}

function endsWith(args: readonly JsonValue[]): JsonValue {
  return text(args, 0, 'endsWith').endsWith(text(args, 1, 'endsWith'));
}

function contains(args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const [value, search] = [text(args, 0, 'contains'), text(args, 1, 'contains')];
  budget.search(value, search);
  return value.includes(search);
}

function indexOf(args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const [value, search] = [text(args, 0, 'indexOf'), text(args, 1, 'indexOf')];
  budget.search(value, search);
  return codePointIndex(value, value.indexOf(search));
}

function lastIndexOf(args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const [value, search] = [text(args, 0, 'lastIndexOf'), text(args, 1, 'lastIndexOf')];
  budget.search(value, search);
  return codePointIndex(value, value.lastIndexOf(search));
}

function charAt(args: readonly JsonValue[]): JsonValue {
  const points = codePoints(text(args, 0, 'charAt'));
  return points[position(args, 1, { name: 'charAt', max: points.length })] ?? '';
}

function substring(args: readonly JsonValue[]): JsonValue {
  const points = codePoints(text(args, 0, 'substring'));
  const bounds = { name: 'substring', max: points.length };
  const start = position(args, 1, bounds);
  if (args.length === 2) return slice(points, start, points.length);
  const end = position(args, 2, bounds);
  if (end < start) throw new EvaluationFailure('substring() ends before it starts');
  return slice(points, start, end);
}

function mapAscii(
  args: readonly JsonValue[],
  pattern: RegExp,
  convert: (part: string) => string,
): JsonValue {
  return text(args, 0, 'lowerAscii() or upperAscii').replace(pattern, convert);
}

function replace(args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const value = text(args, 0, 'replace');
  const search = text(args, 1, 'replace');
  const replacement = text(args, 2, 'replace');
  if (search === '') return value;
  budget.characters(countOf(value, search, budget) * replacement.length);
  return value.replaceAll(search, () => replacement);
}

function split(args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const [value, separator] = [text(args, 0, 'split'), text(args, 1, 'split')];
  if (separator === '') {
    budget.elements(value.length);
    return Array.from(value);
  }
  budget.elements(countOf(value, separator, budget));
  return value.split(separator);
}

function join(args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const list = args[0] ?? null;
  if (!isList(list)) throw new EvaluationFailure(`join() called on ${kindOf(list)}`);
  const separator = args.length === 1 ? '' : text(args, 1, 'join');
  budget.elements(list.length);
  budget.characters(list.length * separator.length);
  const parts = list.map((item) => {
    if (item === null || typeof item === 'object') {
      throw new EvaluationFailure(`join() of a list that holds ${kindOf(item)}`);
    }
    const part = String(item);
    budget.characters(part.length);
    return part;
  });
  return parts.join(separator);
}

function countOf(value: string, search: string, budget: StepBudget): number {
  budget.search(value, search);
  let count = 0;
  for (let at = value.indexOf(search); at !== -1; at = value.indexOf(search, at + search.length)) {
    count += 1;
  }
  return count;
}

function isBasic(value: string): boolean {
  return !/[\ud800-\udfff]/.test(value);
}

function codePoints(value: string): string | readonly string[] {
  return isBasic(value) ? value : Array.from(value);
}

function slice(points: string | readonly string[], start: number, end: number): string {
  return typeof points === 'string' ? points.slice(start, end) : points.slice(start, end).join('');
}

function codePointIndex(value: string, index: number): number {
  return index === -1 ? -1 : codePointCount(value.slice(0, index));
}
