import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { deedsOf, success, type History } from '../history.ts';
import { forkedFrom, retriedFrom, type Stories } from '../lineage.ts';
import { violations, type Violation } from '../violation.ts';
import { byExecution } from './check-histories.ts';

export type Labels = Readonly<Record<string, string>>;

/** The labels that a workflow gives an execution with this token in its input. */
export type LabelsOf = (token: string) => Labels;

const LABELS_MAX = 16;

/**
 * Labels: an execution begins with those of its start, its workflow and its parent, or with those of the execution
 * that it continues. Results add their own. The rows by which lists find it have exactly these.
 */
export function checkLabels(
  last: Dump,
  history: History,
  labelled?: Readonly<Partial<Record<string, LabelsOf>>>,
): Violation[] {
  return [
    ...checkResults(last, history),
    ...(labelled === undefined ? [] : checkBeginnings(last, history, labelled)),
  ];
}

/** Also of imported executions, whose events are stored like others. */
export function checkLabelRows(dump: Dump): Violation[] {
  const { execution_labels: rows } = dump;
  if (rows === undefined) return [];
  const stories = byExecution(dump);
  const found = Map.groupBy(rows, ({ execution_id: id }) => id);
  const ids = new Set([...stories.keys(), ...found.keys()]);
  const owners = new Map(dump.executions.map((row) => [row.id, row.tenant_id]));
  return [
    ...violations('an execution is found by the labels of its events', ids, (id) => {
      const told = foldLabels(stories.get(id) ?? []);
      const kept = Object.fromEntries(
        (found.get(id) ?? []).map(({ name, value }) => [name, value]),
      );
      if (isDeepStrictEqual(kept, told)) return null;
      return { about: { execution: id }, saw: `${tell(kept)}, and its events give ${tell(told)}` };
    }),
    ...violations('a row of a label has the tenant of its execution', rows, (row) => {
      const owner = owners.get(row.execution_id);
      if (owner === row.tenant_id) return null;
      const about = { execution: row.execution_id, tenant: row.tenant_id };
      return { about, saw: `${row.name}, and the execution is of ${owner ?? 'nobody'}` };
    }),
  ];
}

/** A worker gives each result labels that no other result has. */
function checkResults(last: Dump, history: History): Violation[] {
  const completions = deedsOf(history, 'complete').filter(({ asks }) => asks.labels !== undefined);
  const asked = new Set(completions.map(({ asks }) => tell(asks.labels ?? {})));
  const recorded = last.events.flatMap((event) =>
    event.kind === 'NodeCompleted' && event.payload['labels'] !== undefined ? [event] : [],
  );
  const kept = new Set(recorded.map(({ payload }) => tell(labelsIn(payload['labels']))));
  const accepted = completions.filter((deed) => success(deed) !== null);
  return [
    ...violations('a result that is accepted gives its labels', accepted, ({ asks, begun }) => {
      const labels = tell(asks.labels ?? {});
      if (kept.has(labels)) return null;
      return { about: { work_item: asks.workItemId, deed: begun }, saw: `no event has ${labels}` };
    }),
    ...violations('only a result gives labels later', recorded, (event) => {
      const labels = tell(labelsIn(event.payload['labels']));
      if (asked.has(labels)) return null;
      const about = { execution: event.execution_id, sequence: event.sequence };
      return { about, saw: `nobody gave ${labels}` };
    }),
  ];
}

function checkBeginnings(
  last: Dump,
  history: History,
  labelled: Readonly<Partial<Record<string, LabelsOf>>>,
): Violation[] {
  const stories = byExecution(last);
  const rows = new Map(last.executions.map((row) => [row.id, row]));
  const starts = new Map(deedsOf(history, 'start').map(({ asks }) => [asks.token, asks]));
  return violations('an execution begins with the labels that it was given', stories, (story) => {
    const [id, [first]] = story;
    const row = rows.get(id);
    if (first === undefined || row === undefined) return null;
    const input = first.payload['input'];
    const token = isJsonObject(input) ? textIn(input, 'token') : '';
    const own = labelled[row.workflow_id]?.(token) ?? {};
    const before = labelsBefore(first, row.parent_execution_id, stories);
    if (before === 'unknown') return null;
    const expected =
      before === null
        ? [{ ...own, ...starts.get(token)?.labels }]
        : before.labels.map((labels) => (before.isParent ? inherit(labels, own) : labels));
    const begins = labelsIn(first.payload['labels']);
    if (expected.some((labels) => isDeepStrictEqual(labels, begins))) return null;
    return {
      about: { execution: id },
      saw: `${tell(begins)} in place of ${tell(expected[0] ?? {})}`,
    };
  });
}

/** Null: it was started from outside. Unknown: nobody saw the other one. */
function labelsBefore(
  first: EventOf,
  parentId: string | null,
  stories: Stories,
): { readonly labels: readonly Labels[]; readonly isParent: boolean } | null | 'unknown' {
  const fork = forkedFrom(first);
  const run = first.payload['continued_from'];
  const from = fork?.from ?? retriedFrom(first) ?? (typeof run === 'string' ? run : parentId);
  if (from === null) return null;
  const story = stories.get(from);
  if (story === undefined) return 'unknown';
  // A fork takes the labels of the moment when it was asked for.
  if (fork !== null) {
    const labels = story.map((_, index) => foldLabels(story.slice(0, index + 1)));
    return { labels: labels.toReversed(), isParent: false };
  }
  const isParent = from === parentId && run === undefined && retriedFrom(first) === null;
  const begun = story.findIndex(
    ({ kind, payload }) =>
      kind === 'ChildWorkflowStarted' && payload['child_execution_id'] === first.execution_id,
  );
  return { labels: [foldLabels(isParent ? story.slice(0, begun) : story)], isParent };
}

function foldLabels(story: readonly EventOf[]): Labels {
  let labels: Labels = {};
  for (const { kind, payload } of story) {
    if (kind === 'WorkflowStarted' || kind === 'NodeCompleted') {
      labels = { ...labels, ...labelsIn(payload['labels']) };
    }
    if (kind !== 'StepRecorded' || payload['carried'] === true) continue;
    for (const added of labelsOfSteps(payload)) {
      const both = { ...labels, ...added };
      if (Object.keys(both).length <= LABELS_MAX) labels = both;
    }
  }
  return labels;
}

function labelsOfSteps({ entries }: JsonObject): readonly Labels[] {
  if (!Array.isArray(entries)) return [];
  return entries
    .filter(isJsonObject)
    .filter(({ kind }) => kind === 'labels')
    .map(({ output }) => labelsIn(output));
}

/** The labels of the workflow itself come first, and others stay while there is room. */
function inherit(others: Labels, own: Labels): Labels {
  const rest = Object.entries(others).filter(([name]) => !Object.hasOwn(own, name));
  return { ...Object.fromEntries(rest.slice(0, LABELS_MAX - Object.keys(own).length)), ...own };
}

function labelsIn(value: unknown): Labels {
  return (value ?? {}) as Labels;
}

function tell(labels: Labels): string {
  return JSON.stringify(labels);
}
