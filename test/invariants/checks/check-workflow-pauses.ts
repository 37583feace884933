import { byExecution } from './check-histories.ts';
import { textIn, type Dump } from '../dump.ts';
import { foldHistory } from '../fold-history.ts';
import { deedsOf, isBefore, success, wasRefused, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Paused workflows: each execution that starts is held, and the rows agree with the events. */
export function checkWorkflowPauses(dumps: readonly Dump[], history: History): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  return [...checkStarts(last, history), ...dumps.flatMap(checkHolds)];
}

/** Applies from the answer to the pause until a client asks for its end. */
function checkStarts(dump: Dump, history: History): Violation[] {
  const stories = byExecution(dump);
  const pauses = deedsOf(history, 'pause_workflow').filter((deed) => success(deed) !== null);
  const ends = deedsOf(history, 'resume_workflow').filter((deed) => !wasRefused(deed));
  const asked = deedsOf(history, 'start');
  const starts = asked.filter((deed) => success(deed) !== null);
  return violations(
    'an execution that starts while its workflow is paused is held',
    starts,
    (start) => {
      const isOfIt = (deed: (typeof pauses)[number] | (typeof ends)[number]): boolean =>
        deed.tenantId === start.tenantId && deed.asks.workflowId === start.asks.workflowId;
      // A repeated start may return an execution that the first request began, in any state.
      const isFirst = asked.every((other) => other === start || other.asks.key !== start.asks.key);
      const pause = pauses.find((deed) => isOfIt(deed) && isBefore(deed, start));
      if (pause === undefined || !isFirst) return null;
      const mayBeOver = ends.some(
        (end) => isOfIt(end) && !isBefore(end, pause) && !isBefore(start, end),
      );
      if (mayBeOver) return null;
      const execution = textIn(success(start) ?? {}, 'execution_id');
      const story = stories.get(execution) ?? [];
      if (story.length < 2 || story[1]?.kind === 'ExecutionPaused') return null;
      return { about: { execution, pause: pause.begun }, saw: story[1]?.kind ?? 'nothing' };
    },
  );
}

function checkHolds(dump: Dump): Violation[] {
  if (dump.workflow_holds === undefined) return [];
  const stories = byExecution(dump);
  const held = new Set(dump.workflow_holds.map((row) => row.execution_id));
  return violations('an execution is held as its events say', dump.executions, ({ id }) => {
    const { pauses } = foldHistory(stories.get(id) ?? []);
    if (pauses.has('workflow') === held.has(id)) return null;
    const saw = held.has(id) ? 'held, and no event records it' : 'not held, as its events say';
    return { about: { execution: id }, saw };
  });
}
