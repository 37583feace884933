import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { SeenWait } from './checks/check-results.ts';
import type { ExampleRun } from './example-run.ts';
import type { Ask } from './history.ts';

/** The output of the workflow of the example run. */
export const OUTPUT_KEYS = { w: 'a' };

const OUTPUT = { token: 'fence 2', receipt: 'r1' };
const STATE = { token: 'amber~one', a: OUTPUT };
const COMPLETED = { execution_id: 'exec_1', status: 'completed', error: null, continued_as: null };
const RESULT = { ...COMPLETED, output: OUTPUT, state: STATE };
const CANCELLED = {
  execution_id: 'exec_3',
  status: 'cancelled',
  output: null,
  continued_as: null,
  error: { message: 'the execution was cancelled', class: 'cancelled', node_id: null },
  state: { token: 'amber~two' },
};

/** Its end comes while the caller waits. */
const WAIT: SeenWait = {
  executionId: 'exec_1',
  begunAt: 100,
  waitMs: 1_000,
  endedAt: 300,
  dueAt: 700,
  answered: { at: 310, isEnd: true },
};

/** Callers wait for the ends of two executions, and one of them asks before. */
export function addResults(run: ExampleRun): ExampleRun {
  ask(run, 'exec_1', { status: 202, body: { execution_id: 'exec_1', status: 'running' } });
  ask(run, 'exec_1', { status: 200, body: RESULT });
  ask(run, 'exec_3', { status: 200, body: CANCELLED });
  start(run, RESULT);
  run.waits.push(WAIT, {
    ...WAIT,
    endedAt: 1_150,
    dueAt: 1_550,
    answered: { at: 1_101, isEnd: false },
  });
  return run;
}

/** By rule: a function that breaks it. */
export const RESULTS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'a result is how the execution ended': (run) =>
    ask(run, 'exec_1', { status: 200, body: { ...RESULT, output: STATE } }),
  'a caller asks again only before the end': (run) =>
    ask(run, 'exec_1', { status: 202, body: { execution_id: 'exec_1', status: 'completed' } }),
  'the answer to a repeated start is about the same execution': (run) => start(run, CANCELLED),
  'a result follows the commit of the end': ({ waits }) =>
    void waits.push({ ...WAIT, answered: { at: 299, isEnd: true } }),
  'a caller who waits learns of the end when it comes': ({ waits }) =>
    void waits.push({ ...WAIT, answered: { at: 1_100, isEnd: true } }),
};

/** The same rules, broken in another way. */
export const RESULTS_ALSO_BROKEN: readonly {
  readonly how: string;
  readonly rule: string;
  readonly breakIt: (run: ExampleRun) => void;
}[] = [
  {
    how: 'a result does not say why an execution was cancelled',
    rule: 'a result is how the execution ended',
    breakIt: (run) => ask(run, 'exec_3', { status: 200, body: { ...CANCELLED, error: null } }),
  },
  {
    how: 'a result comes of an execution that is running',
    rule: 'a caller asks again only before the end',
    breakIt: (run) =>
      ask(run, 'exec_1', { status: 200, body: { execution_id: 'exec_1', status: 'running' } }),
  },
  {
    how: 'a caller asks after the end and gets 202',
    rule: 'a caller who waits learns of the end when it comes',
    breakIt: ({ waits }) =>
      void waits.push({ ...WAIT, endedAt: 99, dueAt: null, answered: { at: 101, isEnd: false } }),
  },
  {
    how: 'a caller who waits gets no answer',
    rule: 'a caller who waits learns of the end when it comes',
    breakIt: ({ waits }) => void waits.push({ ...WAIT, answered: null }),
  },
];

function ask(
  { deeds }: ExampleRun,
  executionId: string,
  answer: { readonly status: number; readonly body: JsonObject },
): void {
  add(deeds, { do: 'result', executionId, waitMs: 1_000 }, answer);
}

function start({ deeds }: ExampleRun, body: JsonObject): void {
  const [token, workflowId] = ['amber~one', 'w'];
  const asks: Ask = { do: 'start', key: token, token, workflowId, waitMs: 1_000 };
  add(deeds, asks, { status: 200, body });
}

function add(
  deeds: ExampleRun['deeds'],
  asks: Ask,
  answer: { readonly status: number; readonly body: JsonObject },
): void {
  const begun = 2 * deeds.length + 1;
  deeds.push({ client: 'c', tenantId: 'amber', asks, begun, ended: begun + 1, answer });
}
