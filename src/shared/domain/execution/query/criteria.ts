import type { ExecutionId } from '../../ids.ts';
import { nearestInstant } from '../../instant.ts';
import { EXECUTION_STATUSES, type ExecutionStatus } from '../status.ts';
import type {
  Condition,
  ContainsCondition,
  IdCondition,
  LabelCondition,
  Moment,
  StatusCondition,
  TextCondition,
  TimeCondition,
} from './condition.ts';

/**
 * All conditions of a query in one record, so that a query of many conditions is as simple to
 * compile as a query of one. Null and empty lists of `notIn` and `contains` restrict nothing.
 */
export interface ExecutionCriteria {
  readonly statuses: readonly ExecutionStatus[] | null;
  readonly workflow: TextCriteria;
  readonly version: TextCriteria;
  readonly ids: readonly ExecutionId[] | null;
  readonly parents: readonly ExecutionId[] | null;
  /** In lower case, as far as letters are ASCII; an error contains each of them. */
  readonly errorContains: readonly string[];
  /** Null: any, and none. */
  readonly errorClasses: readonly string[] | null;
  /** One for each label that is named. */
  readonly labels: readonly LabelCriteria[];
  /** Both: nothing fits. Null and an empty list: all fit. */
  readonly waiting: readonly boolean[];
  readonly started: TimeCriteria;
  readonly ended: TimeCriteria;
}

export interface TextCriteria {
  readonly in: readonly string[] | null;
  readonly notIn: readonly string[];
  /** In lower case, as far as letters are ASCII. */
  readonly contains: readonly string[];
}

/** An execution without the label fits `notIn` alone. */
export interface LabelCriteria extends TextCriteria {
  readonly label: string;
}

/** ISO instants; inclusive and exclusive. */
export interface TimeCriteria {
  readonly from: string | null;
  readonly before: string | null;
}

/** `now`: milliseconds of the clock that executions are stored by. */
export function gatherCriteria(conditions: readonly Condition[], now: number): ExecutionCriteria {
  return {
    statuses: gatherStatuses(conditions.filter((each) => each.field === 'status')),
    workflow: gatherText(conditions, 'workflow'),
    version: gatherText(conditions, 'version'),
    ids: gatherIds(conditions, 'id'),
    parents: gatherIds(conditions, 'parent'),
    errorContains: gatherParts(conditions, 'error'),
    errorClasses: gatherSet(conditions.filter((each) => each.field === 'error_class')).in,
    labels: gatherLabels(conditions.filter((each) => each.field === 'labels')),
    waiting: conditions.flatMap((each) => (each.field === 'waiting' ? [each.value] : [])),
    started: gatherTimes(conditions, 'started', now),
    ended: gatherTimes(conditions, 'ended', now),
  };
}

function gatherStatuses(own: readonly StatusCondition[]): readonly ExecutionStatus[] | null {
  if (own.length === 0) return null;
  const { in: wanted, notIn } = gatherSet(own);
  return (wanted ?? EXECUTION_STATUSES).filter((status) => !notIn.includes(status));
}

function gatherIds(
  conditions: readonly Condition[],
  field: IdCondition['field'],
): readonly ExecutionId[] | null {
  return gatherSet(conditions.filter((each): each is IdCondition => each.field === field)).in;
}

function gatherText(conditions: readonly Condition[], field: TextCondition['field']): TextCriteria {
  const sets = conditions.filter((each): each is TextCondition => {
    return each.field === field && each.operator !== 'contains';
  });
  return { ...gatherSet(sets), contains: gatherParts(conditions, field) };
}

function gatherParts(
  conditions: readonly Condition[],
  field: ContainsCondition['field'],
): readonly string[] {
  const own = conditions.filter((each) => each.operator === 'contains');
  return own.filter((each) => each.field === field).map(({ text }) => lowerAscii(text));
}

function gatherLabels(conditions: readonly LabelCondition[]): readonly LabelCriteria[] {
  return [...Map.groupBy(conditions, ({ label }) => label)].map(([label, own]) => ({
    label,
    ...gatherSet(own.filter((each) => each.operator !== 'contains')),
    contains: own
      .filter((each) => each.operator === 'contains')
      .map(({ text }) => lowerAscii(text)),
  }));
}

function gatherSet<Value>(
  conditions: readonly {
    readonly operator: 'in' | 'not_in';
    readonly values: readonly Value[];
  }[],
): { readonly in: readonly Value[] | null; readonly notIn: readonly Value[] } {
  let wanted: readonly Value[] | null = null;
  const notIn: Value[] = [];
  for (const { operator, values } of conditions) {
    if (operator === 'not_in') notIn.push(...values);
    else wanted = wanted === null ? values : wanted.filter((value) => values.includes(value));
  }
  return { in: wanted, notIn };
}

/** Times are stored in milliseconds, so `> t` is from the next one on. */
function gatherTimes(
  conditions: readonly Condition[],
  field: TimeCondition['field'],
  now: number,
): TimeCriteria {
  const from: number[] = [];
  const before: number[] = [];
  for (const condition of conditions) {
    if (condition.field !== field) continue;
    const { operator } = condition;
    const at = resolveMoment(condition.at, now);
    const isExclusive = operator === '>' || operator === '<=';
    (operator === '>' || operator === '>=' ? from : before).push(isExclusive ? at + 1 : at);
  }
  return {
    from: from.length === 0 ? null : nearestInstant(Math.max(...from)),
    before: before.length === 0 ? null : nearestInstant(Math.min(...before)),
  };
}

function resolveMoment(moment: Moment, now: number): number {
  return 'instant' in moment ? Date.parse(moment.instant) : now - moment.agoMs;
}

/** Letters beyond ASCII keep their case: the two databases do not agree on them. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
