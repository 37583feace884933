import { parseExecutionId } from '../../ids.ts';
import { instantOf } from '../../instant.ts';
import { EXECUTION_STATUSES } from '../status.ts';
import { parseDuration } from '../../workflow/parse/parse-duration.ts';
import { type Condition, type Moment, type SetOperator, TIME_OPERATORS } from './condition.ts';
import { FIELDS, type NamedField, type Spelling } from './fields.ts';
import type { QueryProblem } from './problem.ts';
import type { Token } from './tokens.ts';

export type Operand = Pick<Token, 'value' | 'position' | 'length'>;

type Made = { readonly condition: Condition } | { readonly problem: QueryProblem };

/** Makes a condition of a field, an operator that the field has, and at least one value. */
export function makeCondition(
  { field, label }: NamedField,
  spelling: Spelling,
  operands: readonly Operand[],
): Made {
  const [first = { value: '', position: 0, length: 0 }] = operands;
  switch (field) {
    case 'started':
    case 'ended': {
      const at = readMoment(first.value);
      const operator = TIME_OPERATORS.find((each) => each === spelling) ?? '>=';
      if (at !== null) return { condition: { field, operator, at } };
      const message = `${field} needs a time such as -2h, -7d, now or 2026-01-31T08:00:00Z`;
      return refuse(first, message, FIELDS[field].values);
    }
    case 'waiting': {
      const { values } = FIELDS.waiting;
      const value = first.value.toLowerCase();
      if (values.includes(value)) {
        return { condition: { field, operator: 'is', value: value === 'true' } };
      }
      return refuse(first, 'waiting is true or false', values);
    }
    case 'error':
      return { condition: { field, operator: 'contains', text: first.value } };
    case 'error_class':
      return { condition: { field, operator: 'in', values: operands.map(({ value }) => value) } };
    case 'labels': {
      const of = { field, label };
      if (spelling === '~')
        return { condition: { ...of, operator: 'contains', text: first.value } };
      const values = operands.map(({ value }) => value);
      return { condition: { ...of, operator: setOperator(spelling), values } };
    }
    case 'workflow':
    case 'version': {
      if (spelling === '~')
        return { condition: { field, operator: 'contains', text: first.value } };
      const values = operands.map(({ value }) => value);
      return { condition: { field, operator: setOperator(spelling), values } };
    }
    case 'status': {
      const read = readEach(operands, (value) => {
        return EXECUTION_STATUSES.find((each) => each === value.toLowerCase()) ?? null;
      });
      if ('values' in read) {
        return { condition: { field, operator: setOperator(spelling), values: read.values } };
      }
      const { value } = read.wrong;
      return refuse(read.wrong, `no status is named ${value}`, EXECUTION_STATUSES);
    }
    case 'id':
    case 'parent': {
      const read = readEach(operands, parseExecutionId);
      if ('values' in read) {
        return { condition: { field, operator: setOperator(spelling), values: read.values } };
      }
      return refuse(read.wrong, `${read.wrong.value} is no id of an execution`, []);
    }
  }
}

function setOperator(spelling: Spelling): SetOperator {
  return spelling === '!=' ? 'not_in' : 'in';
}

function readEach<Value>(
  operands: readonly Operand[],
  read: (text: string) => Value | null,
): { readonly values: readonly Value[] } | { readonly wrong: Operand } {
  const values: Value[] = [];
  for (const operand of operands) {
    const value = read(operand.value);
    if (value === null) return { wrong: operand };
    values.push(value);
  }
  return { values };
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** A date is its first instant in UTC. */
function readMoment(text: string): Moment | null {
  if (text.toLowerCase() === 'now') return { agoMs: 0 };
  if (text.startsWith('-')) {
    const agoMs = parseDuration(text.slice(1));
    return agoMs === null ? null : { agoMs };
  }
  const day = INSTANT.exec(text)?.[1] ?? null;
  // The parser of the platform reads the 30th of February as the 2nd of March.
  if (day === null || instantOf(Date.parse(day))?.startsWith(day) !== true) return null;
  const instant = instantOf(Date.parse(text));
  return instant === null ? null : { instant };
}

function refuse(
  { position, length }: Operand,
  message: string,
  expected: readonly string[],
): { readonly problem: QueryProblem } {
  return { problem: { position, length, message, expected } };
}
