import { deliverExternalEvent } from '../../shared/engine/executions/deliver-external-event.ts';
import { decideApproval } from '../../shared/engine/executions/decide-approval.ts';
import { wasMessageReceived } from '../../shared/engine/executions/was-message-received.ts';
import { cancelExecution } from '../../shared/engine/executions/cancel-execution.ts';
import { listUpdated } from '../../shared/engine/executions/list-shown.ts';
import { startExecution } from '../../shared/engine/executions/start-execution.ts';
import { listApprovals } from '../../shared/engine/executions/list-approvals.ts';
import { readExecution } from '../../shared/engine/executions/read-execution.ts';
import type { ExecutionView } from '../../shared/engine/executions/read-execution.ts';
import type { UseCaseDeps } from '../../shared/engine/use-case-deps.ts';
import { createHash } from 'node:crypto';

import { UnsupportedOperationError } from '@a2a-js/sdk/errors';

import { deciderOf } from '../../shared/domain/a2a/message-ids.ts';
import { badRequest, isNotFound, SvcError } from '../../shared/domain/errors.ts';
import { isTerminal } from '../../shared/domain/execution/status.ts';
import type { JsonObject, JsonValue } from '../../shared/domain/json.ts';
import { isJsonObject } from '../../shared/domain/json.ts';
import type { ListUpdated } from '../../shared/store/store.ts';
import type { Caller } from '../endpoint.ts';
import type { MessageInput } from './read-message.ts';
import type { TaskView } from './shape-task.ts';

const PRIORITY = 5;
const DELIVERIES_MAX = 50;
/** A list looks no further back than this many of the agent's tasks. */
const LISTED_MAX = 10_000;
/** Read at the same time for a list: many lists leave others their share of the database. */
const READS_AT_ONCE = 4;

/** The tasks of one agent, which are the executions of its workflow, for one caller. */
export interface AgentTasks {
  /** The task that this message begins; the same message again gives the same one. */
  start(message: IncomingMessage): Promise<TaskView>;
  /** Null: no such task of this agent. */
  read(taskId: string): Promise<TaskView | null>;
  /** Hands the message to what the task waits for; the same message again is handed over once. */
  deliver(view: TaskView, message: IncomingMessage): Promise<TaskView>;
  cancel(view: TaskView): Promise<TaskView>;
  /** Those updated last come first. */
  list(filter: TaskFilter): Promise<TaskPage>;
}

export type TaskFilter = Pick<
  ListUpdated,
  'status' | 'contextId' | 'updatedAfter' | 'cursor' | 'limit'
>;

export interface TaskPage {
  readonly views: readonly TaskView[];
  readonly total: number;
  /** Null: there is nothing more. */
  readonly next: TaskFilter['cursor'];
}

export interface IncomingMessage {
  readonly messageId: string;
  readonly contextId: string;
  readonly metadata: JsonObject;
  readonly input: MessageInput;
}

/** The caller and the workflow. */
export interface AgentCall {
  readonly engine: UseCaseDeps;
  readonly caller: Caller;
  readonly workflowId: string;
}

export function createAgentTasks(call: AgentCall): AgentTasks {
  const { engine, caller, workflowId } = call;
  const readAgain = async (executionId: string): Promise<TaskView> =>
    withPending(call, await readExecution(engine, caller, { executionId }));

  const read = async (taskId: string): Promise<TaskView | null> => {
    try {
      const view = await readExecution(engine, caller, { executionId: taskId });
      // A task of another workflow does not exist for this agent.
      return view.row.workflowId === workflowId ? await withPending(call, view) : null;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  };

  return {
    read,

    async start({ messageId, input }) {
      const start = {
        workflowId,
        workflowVersion: null,
        input,
        priority: PRIORITY,
        idempotencyKey: startKey(workflowId, messageId),
      };
      try {
        const { executionId } = await startExecution(engine, caller, start);
        return await readAgain(executionId);
      } catch (error) {
        throw asUsedBefore(error, messageId) ?? error;
      }
    },

    async deliver(view, message) {
      await deliverOnce(call, view, message);
      return readAgain(view.row.executionId);
    },

    async list(filter) {
      const { updated, total } = await listUpdated(engine, caller, {
        ...filter,
        workflowId,
        // One more tells whether there is another page.
        limit: filter.limit + 1,
        within: LISTED_MAX,
      });
      const page = updated.slice(0, filter.limit);
      const views: TaskView[] = [];
      for (let from = 0; from < page.length; from += READS_AT_ONCE) {
        const some = page.slice(from, from + READS_AT_ONCE);
        const found = await Promise.all(some.map(({ executionId }) => read(executionId)));
        // Retention may have removed one in between.
        views.push(...found.filter((view) => view !== null));
      }
      return { views, total, next: updated.length > page.length ? (page.at(-1) ?? null) : null };
    },

    async cancel({ row: { executionId } }) {
      await cancelExecution(engine, caller, { executionId });
      return readAgain(executionId);
    },
  };
}

/** A key of fixed length for any client value; it differs from callers' own keys. */
function startKey(workflowId: string, messageId: string): string {
  const hash = createHash('sha256').update(JSON.stringify([workflowId, messageId]));
  return `a2a:${hash.digest('hex')}`;
}

/** The client knows nothing of the key that its message's id becomes. */
function asUsedBefore(error: unknown, messageId: string): SvcError | null {
  if (!(error instanceof SvcError) || error.code !== 'conflict') return null;
  const taskId = error.body?.['execution_id'];
  if (typeof taskId !== 'string') return null;
  return badRequest(
    `messageId ${messageId} was sent before with other content and began task ${taskId}; ` +
      'give a new message an id of its own',
  );
}

async function withPending({ engine, caller }: AgentCall, view: ExecutionView): Promise<TaskView> {
  if (!view.waitingOn.some(({ waitingFor }) => waitingFor === 'approval')) {
    return { ...view, pending: [] };
  }
  const { executionId } = view.row;
  const { pending } = await listApprovals(engine, caller, { executionId });
  return { ...view, pending };
}

/**
 * A message becomes an event of the execution, and its id is looked for among the events there are.
 * It is handed over only while the execution stands where that search ended, so of two deliveries of
 * the same message one finds the other.
 */
async function deliverOnce(
  call: AgentCall,
  first: TaskView,
  message: IncomingMessage,
): Promise<void> {
  const { engine, caller } = call;
  const { executionId } = first.row;
  let view = first;
  let searched = 0;
  for (let tries = 0; tries < DELIVERIES_MAX; tries += 1) {
    const { lastSequence: through } = view.row;
    const search = { executionId, after: searched, through };
    if (await wasMessageReceived(engine, caller, { ...search, messageId: message.messageId }))
      return;
    searched = through;
    if (isTerminal(view.row.status)) throw hasEnded(view);
    const answer = await handOver(call, view, message);
    if (answer.accepted) return;
    if (answer.moved !== true) throw badRequest('the task has no such approval open');
    view = await withPending(call, await readExecution(engine, caller, { executionId }));
  }
  throw new SvcError('unavailable', 'the task moves too fast; send the message again');
}

function hasEnded({ row: { executionId, status } }: TaskView): Error {
  return new UnsupportedOperationError(
    `task ${executionId} is ${status} and takes no more messages; ` +
      'send a message without a taskId to begin another task',
  );
}

function handOver(
  { engine, caller }: AgentCall,
  view: TaskView,
  { messageId, metadata, input }: IncomingMessage,
): Promise<{ readonly accepted: boolean; readonly moved?: true }> {
  const { executionId, lastSequence: atSequence } = view.row;
  const ref = { executionId, atSequence };
  const decision = readDecision(view, input.data);
  if (decision !== null) {
    const userId = deciderOf(messageId);
    return decideApproval(engine, caller, { ...ref, ...decision, userId, statePatch: null });
  }
  const correlationKey = chooseKey(view, metadata);
  return deliverExternalEvent(engine, caller, { ...ref, correlationKey, payload: input });
}

/** The key that the client names, else the task's own, else the only one that is waited for. */
function chooseKey(view: ExecutionView, metadata: JsonObject): string {
  const named = metadata['correlation_key'];
  if (typeof named === 'string' && named !== '') return named;
  const own = `a2a:${view.row.executionId}`;
  const awaited = new Set(
    view.waitingOn.flatMap(({ correlationKey }) =>
      correlationKey === null ? [] : [correlationKey],
    ),
  );
  const [only] = awaited;
  if (awaited.has(own)) return own;
  if (only !== undefined && awaited.size === 1) return only;
  if (awaited.size > 1) {
    throw badRequest(
      `the task waits for several events, name one in metadata.correlation_key: ${[...awaited].join(', ')}`,
    );
  }
  if (view.waitingOn.some(({ waitingFor }) => waitingFor === 'approval')) {
    throw badRequest(
      'the task waits for an approval: send a data part {"decision": "approved"} or "rejected"',
    );
  }
  // Kept for the next wait with this key.
  return own;
}

interface Decision {
  readonly decision: 'approved' | 'rejected';
  readonly nodeId: string | null;
  readonly comment: string | null;
}

/** Null: nobody is asked, or the message decides nothing. */
function readDecision(view: TaskView, data: JsonValue): Decision | null {
  if (!isJsonObject(data) || view.pending.length === 0) return null;
  const { decision, node_id: nodeId, comment } = data;
  if (decision !== 'approved' && decision !== 'rejected') return null;
  return {
    decision,
    nodeId: typeof nodeId === 'string' ? nodeId : null,
    comment: typeof comment === 'string' ? comment : null,
  };
}
