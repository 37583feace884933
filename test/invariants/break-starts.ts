import { addExecution, begun, started, type Told } from './break-concurrency.ts';
import type { StartRule } from './checks/check-starts.ts';
import type { ExampleRun } from './example-run.ts';

const keyOf = (token: string): string => token;

/** The rules of starts in the example run: only these cases have executions of the workflows. */
export const START_RULES: Readonly<Record<string, StartRule>> = {
  delayed: { afterMs: 100, keyOf },
  throttled: { rate: { intervalMs: 100, burst: 1 }, keyOf },
  gathering: { batch: { max: 2, waitMs: 100 }, keyOf },
  settling: { debounce: { waitMs: 100, maxWaitMs: 300 }, keyOf },
};

/** By rule: a function that breaks it. */
export const STARTS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'an execution begins at its time at the earliest': (run) =>
    add(run, 'delayed', [[started(101), begun(190)]]),
  'an execution that missed its start deadline ran nothing': (run) =>
    add(run, 'delayed', [[started(101), begun(301), tooLate(302)]]),
  'executions of a key begin at its rate at most': (run) =>
    add(run, 'throttled', [
      [started(101), begun(103)],
      [started(102), begun(104)],
    ]),
  'a debounced execution begins when its wait is over': (run) =>
    add(run, 'settling', [[started(101), begun(150)]]),
  'a displaced execution ran nothing, and a newer one of its key did it': (run) =>
    add(run, 'settling', [[started(102), displacedBy('exec_8', 103)], [started(101)]]),
  'a batch has the inputs of its starts, in their order': (run) =>
    add(run, 'gathering', [
      [started(101), closedWith(['exec_7', 'exec_8'], 103), begun(104)],
      [started(100), carriedBy('exec_7', 103)],
    ]),
  'an input is in one batch, whose execution alone begins': (run) =>
    add(run, 'gathering', [
      [started(101), closedWith(['exec_7', 'exec_8'], 103), begun(104)],
      [started(102), begun(105)],
    ]),
  'a batch closes when it is full, or has waited': (run) =>
    add(run, 'gathering', [[started(101), closedWith(['exec_7'], 103), begun(104)]]),
};

function closedWith(ids: readonly string[], place: number): Told {
  const items = ids.map(() => ({ token: 'one' }));
  return { kind: 'BatchClosed', payload: { execution_ids: ids, input: { items } }, place };
}

function carriedBy(executionId: string, place: number): Told {
  const reason = `batch: its input is in the batch of ${executionId}`;
  return { kind: 'WorkflowCancelled', payload: { reason }, place };
}

function add(run: ExampleRun, workflowId: string, stories: readonly (readonly Told[])[]): void {
  stories.forEach((told, index) =>
    addExecution(run, { id: `exec_${7 + index}`, workflowId, told }),
  );
}

function tooLate(place: number): Told {
  return { kind: 'WorkflowFailed', payload: { error_class: 'start_deadline_exceeded' }, place };
}

function displacedBy(executionId: string, place: number): Told {
  const reason = `debounce: a newer start of its key displaced it: ${executionId}, started by token:c`;
  return { kind: 'WorkflowCancelled', payload: { reason }, place };
}
