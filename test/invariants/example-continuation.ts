import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { EventOf } from './dump.ts';
import type { ExampleRun } from './example-run.ts';
import type { Ask, Deed } from './history.ts';

/*
 * A correct history of a durable function, written by hand. The function continues as new and fails
 * in its second visit. A retry of the execution continues that visit. `break-continuation.ts`
 * breaks one thing in it.
 */

export const FAILED = 'exec_8';
export const RETRIED = 'exec_7';
export const STARTED = { token: 'amber~c' };
const INPUT = { token: 'amber~c', count: 1 };
const FIRST = { identity: 's', kind: 'step', output: { receipt: 'r8' } };
const SECOND = { identity: 's', kind: 'step', output: { receipt: 'r7' } };

export function addContinuation(run: ExampleRun): ExampleRun {
  for (const dump of [run.earlier, run.last]) {
    for (const [id, story] of STORIES) {
      dump.events.push(...structuredClone(story));
      dump.executions.push({
        id,
        tenant_id: 'amber',
        workflow_id: 'w',
        parent_execution_id: null,
        status: 'failed',
        last_sequence: story.length,
      });
    }
    for (const [item, execution, visit, key] of ITEMS) {
      dump.work_items.push({
        work_item_id: item,
        execution_id: execution,
        tenant_id: 'amber',
        node_id: 'f',
        visit,
        idempotency_key: key,
        retry_policy: { maxAttempts: 1 },
      });
    }
  }
  for (const [one, body] of asks()) addDeed(run, one, body);
  return run;
}

const ITEMS = [
  ['i8', FAILED, 0, 'k8'],
  ['j8', FAILED, 1, 'l8'],
  ['i7', RETRIED, 1, 'l8'],
] as const;

export function addDeed({ deeds }: ExampleRun, one: Ask, body: JsonObject): void {
  const place = Math.max(...deeds.map(({ ended }) => ended ?? 0));
  const deed: Deed = {
    client: 'c',
    tenantId: 'amber',
    asks: one,
    begun: place + 1,
    ended: place + 2,
    answer: { status: 200, body },
  };
  deeds.push(structuredClone(deed));
}

type Asked = readonly [Ask, JsonObject];

function asks(): readonly Asked[] {
  const continues = {
    do: 'continue',
    workItemId: 'i8',
    fence: 21,
    expectedLength: 1,
    entries: [],
    input: INPUT,
  } as const;
  const step = (item: string, fence: number, entry: JsonObject, key: string): readonly Asked[] => [
    [
      { do: 'step_effect', visitKey: key, fence, identity: 's', key: `${key}/s` },
      { receipt: entry === FIRST ? 'r8' : 'r7' },
    ],
    [
      { do: 'record', workItemId: item, fence, expectedLength: 0, entries: [entry] },
      { recorded: true, length: 1 },
    ],
  ];
  return [
    [{ do: 'start', key: 'amber~c', workflowId: 'w', token: 'amber~c' }, { execution_id: FAILED }],
    claimOf({ item: 'i8', execution: FAILED, key: 'k8', fence: 21, journal: [], input: STARTED }),
    ...step('i8', 21, FIRST, 'k8'),
    [continues, { continued: true, work_item_id: 'i8' }],
    [continues, { continued: true, work_item_id: 'i8' }],
    claimOf({ item: 'j8', execution: FAILED, key: 'l8', fence: 22, journal: [], input: INPUT }),
    ...step('j8', 22, SECOND, 'l8'),
    [{ do: 'fail', workItemId: 'j8', fence: 22 }, { failed: true }],
    [{ do: 'retry', executionId: FAILED, statePatch: null }, { execution_id: RETRIED }],
    claimOf({
      item: 'i7',
      execution: RETRIED,
      key: 'l8',
      fence: 23,
      journal: [SECOND],
      input: INPUT,
    }),
    [{ do: 'fail', workItemId: 'i7', fence: 23 }, { failed: true }],
  ];
}

/** A claim of a turn, and the answer to it. */
export function claimOf(of: {
  readonly item: string;
  readonly execution: string;
  readonly key: string;
  readonly fence: number;
  readonly journal: readonly JsonObject[];
  readonly input: JsonObject;
}): Asked {
  const item = {
    id: of.item,
    execution_id: of.execution,
    idempotency_key: of.key,
    lease_fence: of.fence,
    turn: 0,
    attempt: 0,
    journal: of.journal,
    payload: { input: of.input },
  };
  const asked: Ask = { do: 'claim', workerId: 'w', queues: ['function'] };
  return [asked, { claimed: true, work_items: [item] }];
}

type Told = readonly [kind: string, payload: JsonObject, actor?: 'worker:w'];

function storyOf(id: string, told: readonly Told[]): readonly EventOf[] {
  return told.map(([kind, payload, actor = 'system:scheduler'], index) => ({
    execution_id: id,
    sequence: index + 1,
    kind,
    node_id: kind.startsWith('Workflow') ? null : 'f',
    payload,
    actor_id: actor,
    created_at: 1_500 + index,
    written_in: `${id} ${index}`,
  }));
}

const SCHEDULED = { node_kind: 'function', output_key: 'f', queue: 'function' };
export const FAILURE = { visit: 1, attempt: 0, retryable: false, error: 'it broke' };
const STORIES = new Map([
  [
    FAILED,
    storyOf(FAILED, [
      ['WorkflowStarted', { input: STARTED }],
      ['NodeScheduled', { ...SCHEDULED, visit: 0, work_item_id: 'i8', idempotency_key: 'k8' }],
      ['StepRecorded', { visit: 0, turn: 0, position: 0, entries: [FIRST] }, 'worker:w'],
      [
        'NodeContinuedAsNew',
        { visit: 0, attempt: 0, turn: 0, work_item_id: 'i8', lease_fence: 21, input: INPUT },
        'worker:w',
      ],
      [
        'NodeScheduled',
        { ...SCHEDULED, visit: 1, continues: 0, work_item_id: 'j8', idempotency_key: 'l8' },
      ],
      ['StepRecorded', { visit: 1, turn: 0, position: 0, entries: [SECOND] }, 'worker:w'],
      ['NodeFailed', FAILURE, 'worker:w'],
      ['WorkflowFailed', {}],
    ]),
  ],
  [
    RETRIED,
    storyOf(RETRIED, [
      [
        'WorkflowStarted',
        {
          input: STARTED,
          retried_from: { execution_id: FAILED, sequence: 6, node_id: 'f', keys_of: FAILED },
          carried: {
            state: STARTED,
            inputs: [{ node_id: 'f', visit: 1, input: INPUT }],
            journals: [{ node_id: 'f', visit: 1, entries: [SECOND] }],
          },
        },
      ],
      ['NodeScheduled', { ...SCHEDULED, visit: 1, work_item_id: 'i7', idempotency_key: 'l8' }],
      ['StepRecorded', { visit: 1, turn: 0, position: 0, entries: [SECOND], carried: true }],
      ['NodeFailed', FAILURE, 'worker:w'],
      ['WorkflowFailed', {}],
    ]),
  ],
]);
