import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import { type JournalEntry, labelsOfSteps } from '../../../domain/execution/function-events.ts';
import { type Labels, takeLabels } from '../../../domain/execution/labels/labels.ts';
import { checkRoom } from '../commit-labelled.ts';
import type { OpenRun, RunChange } from './change-run.ts';

/*
 * Labels that a turn of a durable function gives its execution: by entries of its journal, and by the
 * completion. The commit of the events sets them. A request with labels that the execution has no room
 * for is refused, unless it says that the function failed: a worker could not settle the item otherwise.
 */

/** The same change, setting the labels. Throws the 400 of labels without room. */
export function labelled<Answer>({ known }: OpenRun, change: RunChange<Answer>): RunChange<Answer> {
  const { events } = change;
  const given = events?.flatMap(labelsIn) ?? [];
  if (events === null || given.length === 0) return change;
  const { labels } = known.state;
  const isFailure = events.some(({ kind }) => kind === 'NodeFailed');
  if (!isFailure) checkRoom(labels, Object.assign({}, ...given) as Labels);
  return { ...change, commit: { ...change.commit, setsLabels: takeLabels(labels, given) } };
}

function labelsIn(event: ExecutionEvent): readonly Labels[] {
  if (event.kind === 'StepRecorded') return labelsOfSteps(event.payload);
  if (event.kind !== 'NodeCompleted' || event.payload.labels === undefined) return [];
  return [event.payload.labels];
}

/** The turn as it is once the entries are recorded, as far as children inherit from it. */
export function withLabels<Open extends OpenRun>(
  open: Open,
  entries: readonly JournalEntry[],
): Open {
  const given = labelsOfSteps({ entries });
  if (given.length === 0) return open;
  const { known } = open;
  const { labels } = known.state;
  const state = { ...known.state, labels: { ...labels, ...takeLabels(labels, given) } };
  return { ...open, known: { ...known, state } };
}
