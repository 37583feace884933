import type { z } from 'zod';

import { badRequest } from '../shared/domain/errors.ts';

const ISSUES_MAX = 10;

/** Reads one part of a request through its schema, or throws the 400 that says all that is wrong. */
export function decode(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const words = result.error.issues.slice(0, ISSUES_MAX).map((issue) => describe(issue, value));
  throw badRequest(words.join('; '));
}

/** `lease_fence must be a positive integer`: the path, then a message that goes on from it. */
function describe(issue: z.core.$ZodIssue, root: unknown): string {
  return [issue.path.join('.'), phrase(issue, valueAt(root, issue.path))].filter(Boolean).join(' ');
}

function phrase(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined || value === null) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${withArticle(issue.expected)}`;
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values.map(String))}`;
  return issue.message;
}

function withArticle(expected: string): string {
  if (expected === 'int') return 'an integer';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function oneOf(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), ...values.slice(-1)].filter(Boolean).join(' or ');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    root,
  );
}
