import { badRequest } from '../../shared/domain/errors.ts';
import type { JsonValue } from '../../shared/domain/json.ts';

export const NESTING_MAX = 64;
/** The limit for a body that contains other parties' values, some levels down. */
export const LARGE_NESTING_MAX = NESTING_MAX + 16;

/**
 * Throws a 400 for JSON that could not be stored unchanged: nested too deep for recursive readers,
 * text that the two stores treat differently (U+0000, lone surrogates), and numbers beyond what a
 * double holds, which would come back as null.
 */
export function checkJsonBody(
  value: JsonValue,
  { nestingMax = NESTING_MAX, what = 'the body' }: JsonBounds = {},
): void {
  const problem = findProblem(value, { level: 1, nestingMax });
  if (problem !== null) throw badRequest(`${what} ${problem}`);
}

interface JsonBounds {
  readonly nestingMax?: number;
  /** Names the value in the message. */
  readonly what?: string;
}

/** The body itself is level 1. The recursion ends at the bound that it checks. */
function findProblem(
  value: JsonValue,
  { level, nestingMax }: { readonly level: number; readonly nestingMax: number },
): string | null {
  if (typeof value === 'string') return findTextProblem(value);
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : 'holds a number that is out of range';
  }
  if (typeof value !== 'object' || value === null) return null;
  if (level > nestingMax) return `is nested deeper than ${nestingMax} levels`;
  const within = { level: level + 1, nestingMax };
  if (isArray(value)) {
    for (const item of value) {
      const problem = findProblem(item, within);
      if (problem !== null) return problem;
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    const problem = findTextProblem(key) ?? findProblem(value[key] as JsonValue, within);
    if (problem !== null) return problem;
  }
  return null;
}

function findTextProblem(text: string): string | null {
  if (text.includes('\0')) return 'holds U+0000, which cannot be stored';
  return text.isWellFormed() ? null : 'holds a lone surrogate, which is not Unicode text';
}

function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
