import type { CountExecutions, SearchExecutions } from '../executions.ts';
import type { ExecutionCriteria, LabelCriteria } from '../../domain/execution/query/criteria.ts';

/** Criteria for one index, and criteria that each execution from the index is compared with. */
export interface SplitCriteria {
  /** At most one label is named, with one value: then the index is that of the labels. */
  readonly driving: ExecutionCriteria;
  /** With the index of a label: the other labels, compared before an execution is read. */
  readonly labels: readonly LabelCriteria[];
  /** Null: no execution is compared. */
  readonly residual: ExecutionCriteria | null;
}

/** The criteria of a reading that starts with the index of the rarest label. */
export interface Splitting extends Pick<SearchExecutions, 'tenantId' | 'criteria'> {
  /** Absent: from the newest execution. */
  readonly cursor?: SearchExecutions['cursor'];
}

/** So many entries of each label are read to find the rarest of several. */
export const RARITY_ENTRIES = 1_000;

const NONE = { in: null, notIn: [], contains: [] };
const NO_CRITERIA: ExecutionCriteria = {
  statuses: null,
  workflow: NONE,
  version: NONE,
  ids: null,
  parents: null,
  errorContains: [],
  errorClasses: null,
  labels: [],
  waiting: [],
  started: { from: null, before: null },
  ended: { from: null, before: null },
};

/**
 * A reading is bounded by a limit on the executions that an index gives in the order of the list. So
 * only what one index can find may stand before the limit: a second criterion there could make the
 * database walk along the whole index for a page. Times of the start are in every index.
 */
export function splitCriteria(given: ExecutionCriteria): SplitCriteria {
  const criteria = given.errorClasses === null ? given : ofFailed(given);
  const driving = { ...NO_CRITERIA, ...chooseDriving(criteria), started: criteria.started };
  const rest = {
    ...criteria,
    started: NO_CRITERIA.started,
    ids: driving.ids === null ? criteria.ids : null,
    parents: driving.parents === null ? criteria.parents : null,
    statuses: driving.statuses === null ? criteria.statuses : null,
    workflow: { ...criteria.workflow, in: driving.workflow.in ? null : criteria.workflow.in },
    labels: driving.labels.length === 0 ? criteria.labels : [],
  };
  const labels = criteria.labels.filter((each) => !driving.labels.includes(each));
  return {
    driving,
    labels: driving.labels.length === 0 ? [] : labels,
    residual: restrictsNothing(rest) ? null : rest,
  };
}

/** No other execution has a class of its error, and few executions of a full table have failed. */
function ofFailed(criteria: ExecutionCriteria): ExecutionCriteria {
  const { statuses } = criteria;
  const hasFailed = statuses === null || statuses.includes('failed');
  return { ...criteria, statuses: hasFailed ? ['failed'] : [] };
}

/** Whether all that the index finds fits. */
export function findsFitting({ labels, residual }: SplitCriteria): boolean {
  return labels.length === 0 && residual === null;
}

/** Whether the entries of indexes tell all that is compared: the status and the start. */
export function isOfStatuses({ driving, labels, residual }: SplitCriteria): boolean {
  return (
    driving.workflow.in === null &&
    driving.ids === null &&
    driving.parents === null &&
    driving.labels.length + labels.length === 0 &&
    (residual === null || restrictsNothing({ ...residual, statuses: null }))
  );
}

/** The executions of a label are each found by a search in an index, which costs the most. */
export function rowsWithin(rows: number, split: SplitCriteria): number {
  return labelOf(split.driving) === null ? rows : Math.ceil(rows / 2);
}

/** How many dead letters are looked through: each execution or label of one is found by a search in an index. */
export function itemsWithin({
  criteria,
  within,
}: {
  readonly criteria: ExecutionCriteria;
  readonly within: number;
}): number {
  const { rest } = splitOffWorkflow(criteria);
  const isOfErrors = restrictsNothing({ ...rest, errorContains: [], errorClasses: null });
  return isOfErrors ? within : Math.ceil(within / 2);
}

/** How many executions a count looks through, and so many its groups. */
export function countedWithin(
  { within: { entries, rows }, by }: Pick<CountExecutions, 'within' | 'by'>,
  split: SplitCriteria,
): number {
  if (by === null && isOfStatuses(split)) return entries;
  return by?.key.field === 'labels' ? Math.ceil(rows / 2) : rowsWithin(rows, split);
}

/** All that executions are compared with; null: nothing. */
export function comparedOf({ labels, residual }: SplitCriteria): ExecutionCriteria | null {
  return labels.length === 0 ? residual : { ...(residual ?? NO_CRITERIA), labels };
}

/** One split for each label whose index may be read; none if another index is. */
export function splitsByLabel(criteria: ExecutionCriteria): readonly SplitCriteria[] {
  if (labelOf(splitCriteria(criteria).driving) === null) return [];
  return criteria.labels.filter(isOneValue).map((label) => {
    const others = criteria.labels.filter((each) => each !== label);
    return splitCriteria({ ...criteria, labels: [label, ...others] });
  });
}

function chooseDriving(criteria: ExecutionCriteria): Partial<ExecutionCriteria> {
  const { statuses, workflow, ids, parents, labels } = criteria;
  if (ids !== null) return { ids };
  if (parents !== null) return { parents };
  // People give labels to few executions of a kind. The stores choose the rarest.
  const label = labels.find(isOneValue);
  if (label !== undefined) return { labels: [label] };
  const ofWorkflow = workflow.in?.length === 1 ? { workflow: { ...NONE, in: workflow.in } } : null;
  if (statuses?.length !== 1) return ofWorkflow ?? {};
  // Most executions of a full table are completed.
  if (ofWorkflow !== null && statuses[0] === 'completed') return ofWorkflow;
  return { statuses };
}

function isOneValue({ in: wanted, notIn, contains }: LabelCriteria): boolean {
  return wanted?.length === 1 && notIn.length + contains.length === 0;
}

/** The label that the index is for, and its value; null: the index is another. */
export function labelOf({ labels }: ExecutionCriteria): { name: string; value: string } | null {
  const [label] = labels;
  const value = label?.in?.[0];
  return label === undefined || value === undefined ? null : { name: label.label, value };
}

/** The one workflow whose dead letters an index lists, and the criteria that are left; null: any. */
export function splitOffWorkflow(criteria: ExecutionCriteria): {
  readonly workflowId: string | null;
  readonly rest: ExecutionCriteria;
} {
  const { workflow } = criteria;
  const [workflowId = null, ...others] = workflow.in ?? [];
  if (workflowId === null || others.length > 0) return { workflowId: null, rest: criteria };
  return { workflowId, rest: { ...criteria, workflow: { ...workflow, in: null } } };
}

export function restrictsNothing(criteria: ExecutionCriteria): boolean {
  const { statuses, workflow, version, ids, parents, labels, waiting } = criteria;
  const { errorContains, errorClasses } = criteria;
  const texts = [workflow, version];
  const times = [criteria.started, criteria.ended];
  return (
    statuses === null &&
    ids === null &&
    parents === null &&
    errorContains.length === 0 &&
    errorClasses === null &&
    labels.length === 0 &&
    waiting.length === 0 &&
    times.every(({ from, before }) => from === null && before === null) &&
    texts.every((each) => each.in === null && each.notIn.length + each.contains.length === 0)
  );
}
