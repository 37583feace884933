import { explainExecution as explain } from '../../../shared/engine/executions/explain-execution.ts';
import { z } from 'zod';

import { BLOCKER_CODES, type Blocker } from '../../../shared/domain/execution/explain/blocker.ts';
import { TERMINAL_STATUSES } from '../../../shared/domain/execution/status.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, timestamp } from '../../schemas/text.ts';
import { executionStatus, failureShape, shapeFailure } from './execution-shape.ts';

const code = z.enum(BLOCKER_CODES);

const blockerShape = z.object({
  code,
  node_id: z.string().nullable().meta({ description: 'Null: the execution as a whole.' }),
  visit: z.int().nullable(),
  message: z.string(),
  since: timestamp.nullable(),
  until: timestamp
    .nullable()
    .meta({ description: 'When it passes or ends without help; null: at no set time.' }),
  overdue: z
    .boolean()
    .meta({ description: '`until` has passed, and its consequence is not recorded yet.' }),
  moving: z.boolean().meta({ description: 'A process or worker works on it now.' }),
  unblocked_by: z.string(),
  work_item_id: z.string().optional(),
  queue_type: z.string().optional(),
  queue: z.string().optional().meta({ description: 'A named queue that nobody claims from.' }),
  tool: z.string().optional().meta({ description: 'A tool that nobody claims.' }),
  build_id: z
    .string()
    .optional()
    .meta({ description: 'The build that the function is pinned to.' }),
  attempt: z.int().optional(),
  worker_id: z.string().optional(),
  lease_fence: z.int().optional(),
  position: z
    .int()
    .optional()
    .meta({ description: 'From 1, in the order in which items are handed out.' }),
  error: z.string().optional(),
  correlation_key: z.string().optional(),
  child_execution_id: executionId.optional(),
  child_code: code.optional().meta({ description: "The code of the child's own first blocker." }),
  waits_for: z
    .array(z.string())
    .optional()
    .meta({ description: 'Nodes that a join waits for, or executions that have the places.' }),
  items_done: z.int().optional(),
  items_total: z.int().optional(),
});

export const explainExecution = defineEndpoint({
  name: 'explain-execution',
  method: 'GET',
  path: '/executions/:id/explain',
  access: 'read',
  summary: 'Tells why an execution does not move, or how it ended',
  note: `Every execution that has not ended has at least one blocker or is \`moving\`. Look at the first
blocker first: those that need a person come before those that pass without help, and work in
progress comes last. Programs use \`code\` and the fields; \`message\` and \`unblocked_by\` are for people.

| \`code\` | meaning |
| --- | --- |
| \`history_unreadable\` | its events or its definition cannot be read, so it cannot continue |
| \`tenant_suspended\` | the tenant is not active: its work is not handed out, its timers do not fire, and nothing is decided |
| \`workflow_paused\` | its workflow is paused, \`since\` then. Or it was resumed, and the execution is about to be released |
| \`paused_by_operator\` | the execution is paused: events are recorded, but no further step starts |
| \`no_scheduler\` | it waits for a scheduler, and no process with that role has been seen lately |
| \`not_marked\` | it has a decision to make, but no scheduler is notified: rows were changed from outside |
| \`work_missing\`, \`timer_missing\` | the work item or the timer that it waits for does not exist: rows were changed from outside |
| \`dead_lettered\` | the work item was completed without its fence, so its node did not complete: requeue it |
| \`no_worker_for_queue\` | a work item waits, and no worker of the tenant claims from its queue, or from the named \`queue\` |
| \`no_worker_for_tool\` | a work item has waited for 10 s, and the workers that claim from its queue do not claim its \`tool\` |
| \`no_worker_for_build\` | a function waits for a worker of \`build_id\`, the build that it is pinned to, and none is seen |
| \`runnable_not_decided\` | it has events that no scheduler has decided on yet |
| \`budget_used_up\` | a person must grant a budget again |
| \`awaiting_approval\` | a person must decide; \`until\`: when the approval times out |
| \`awaiting_event\` | it waits for an external event; \`until\`: when the wait times out |
| \`waiting_for_place\` | it has not begun: it waits for a place of its tenant or its key, for its turn by a \`rate\`, whether a newer start displaces it, or for further starts of its batch; \`position\` in the order of waiting |
| \`waiting_for_quota\` | a work item waits for a place of the \`concurrency\` of its \`tool\`, or for a token of its \`rate\`, \`position\` in the order of priority and age |
| \`waiting_in_queue\` | a work item waits its turn, \`position\` in the order of priority and age, or of turns among the items with keys of \`fairness\` |
| \`retry_backoff_until\` | the next attempt waits for its time, after \`error\` |
| \`child_end_not_told\` | a child execution has ended, and this one has not received the result yet |
| \`child_running\` | a child execution runs; \`child_code\`: its own blocker |
| \`timer_until\` | a timer runs; without a node: the execution's own time limit has passed |
| \`lease_held_until\` | a worker, or a process of the runtime, works on it; \`overdue\`: its lease has expired |
| \`map_items_under_way\` | items of a map run, with blockers of their own |
| \`join_waiting_on\` | a node waits for others that may still lead to it |
| \`advancing\` | it moved at every read |`,
  params: executionParam,
  replies: {
    200: z.object({
      execution_id: executionId,
      status: executionStatus,
      as_of: timestamp.meta({ description: "By the database's clock." }),
      moving: z.boolean().meta({ description: 'A process or worker works on it, or is about to.' }),
      next_wake_up: timestamp.nullable().meta({
        description: 'The latest time at which something happens without help; overdue if past.',
      }),
      ending: z
        .object({ outcome: z.enum(TERMINAL_STATUSES) })
        .nullable()
        .meta({
          description: 'How the execution will end once its undos and finalizers are done.',
        }),
      failure: failureShape
        .nullable()
        .meta({ description: 'Its first cause, if it will end as failed.' }),
      blockers: z.array(blockerShape).meta({ description: 'The first 100.' }),
      blockers_total: z.int(),
      ended: z
        .object({
          message: z.string(),
          at: timestamp.nullable(),
          error: z.string().nullable(),
          error_class: z.string().nullable(),
          node_id: z.string().nullable(),
          actor_id: z.string().nullable(),
          continued_as: executionId.nullable(),
        })
        .nullable()
        .meta({ description: 'Why it ended; null: it has not.' }),
    }),
  },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    const explained = await explain(engine, caller, {
      executionId: params.id,
    });
    const { ended } = explained;
    return {
      status: 200,
      body: {
        execution_id: explained.executionId,
        status: explained.status,
        as_of: explained.asOf,
        moving: explained.moving,
        next_wake_up: explained.nextWakeUp,
        ending: explained.ending && { outcome: explained.ending },
        failure: shapeFailure(explained.failure),
        blockers: explained.blockers.map(shapeBlocker),
        blockers_total: explained.blockersTotal,
        ended: ended && {
          message: ended.message,
          at: ended.at,
          error: ended.error,
          error_class: ended.errorClass,
          node_id: ended.nodeId,
          actor_id: ended.by,
          continued_as: ended.continuedAs,
        },
      },
    };
  },
});

function shapeBlocker(blocker: Blocker): z.input<typeof blockerShape> {
  const { details } = blocker;
  const shown = {
    work_item_id: details.workItemId,
    queue_type: details.queue,
    queue: details.queueName,
    tool: details.tool,
    build_id: details.buildId,
    attempt: details.attempt,
    worker_id: details.workerId,
    lease_fence: details.leaseFence,
    position: details.position,
    error: details.error,
    correlation_key: details.correlationKey,
    child_execution_id: details.childId,
    child_code: details.childCode,
    waits_for: details.waitsFor && [...details.waitsFor],
    items_done: details.done,
    items_total: details.total,
  };
  return {
    code: blocker.code,
    node_id: blocker.nodeId,
    visit: blocker.visit,
    message: blocker.message,
    since: blocker.since,
    until: blocker.until,
    overdue: blocker.overdue,
    moving: blocker.moving,
    unblocked_by: blocker.unblockedBy,
    ...present(shown),
  };
}

/** Without the fields that do not apply. */
function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
