import { AgentFailure } from '../../domain/a2a/agent-failure.ts';
import { contentOf, outputOf, type AgentTask } from '../../domain/a2a/agent-task.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { A2aAgent, A2aAgents, A2aTarget } from '../../ports/a2a.ts';
import type { OnInputRequired } from '../a2a-task/spec.ts';
import { followTask, type Delays } from './follow-task.ts';
import type { NodeCall, NodeOutcome } from '../run.ts';

export interface DelegationDeps {
  readonly a2a: A2aAgents;
  readonly delays: Delays;
}

export interface Delegation {
  readonly call: NodeCall;
  readonly target: A2aTarget;
  readonly skill: string | null;
  readonly stream: boolean;
  readonly onInputRequired: OnInputRequired;
}

/** Under this name the task's id is recorded, before it is waited for. */
const PROGRESS = 'a2a_task';
/** Limit of an agent's message that an event records beside its state. */
const WORDS_MAX = 2_000;

/**
 * Has an agent do a task, once.
 *
 * - The id of the first message is the visit's idempotency key. Its answer contains the task's id,
 *   which is recorded before any wait; every later attempt continues that task and sends nothing.
 *   If a process dies between sending and recording, it is unknown whether the agent has a task:
 *   then the same message is sent again, under the same id.
 * - An agent that asks for input parks the visit for the event `a2a:<task id>`. The answer is sent
 *   under an id of its own and recorded; an attempt that finds it unrecorded looks at the task first.
 * - After a lost lease the task is left alone, since another process continues it. At the node's
 *   own time limit, which ends a little earlier here than in the engine, the run asks the agent to
 *   cancel the task.
 */
export async function delegateTask(
  deps: DelegationDeps,
  delegation: Delegation,
): Promise<NodeOutcome> {
  const { call, target } = delegation;
  const limitMs = limitOf(call.payload);
  const deadline = limitMs === null ? null : deps.delays.timeout(limitMs);
  const over = new AbortController();
  const ends = [call.signal, over.signal, ...(deadline === null ? [] : [deadline])];
  const signal = AbortSignal.any(ends);
  const held: { task: Held | null } = { task: readHeld(call.progress) };
  try {
    const agent = await deps.a2a.open(target, signal);
    try {
      return await carryOn(deps, { ...delegation, agent, held, signal });
    } catch (error) {
      if (deadline?.aborted !== true || call.signal.aborted || held.task === null) throw error;
      await cancel(deps, agent, held.task);
      const text = `agent ${target.name} did not end the task in time`;
      return { ok: false, error: text, errorClass: 'timeout', final: true };
    }
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    const { message, errorClass, isFinal, retryAfterMs } = error;
    return {
      ok: false,
      error: message,
      errorClass,
      ...(isFinal && { final: true }),
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  } finally {
    // An answer that the agent keeps open is of no use any more.
    over.abort();
  }
}

/** A task that was begun. */
interface Held {
  readonly taskId: string;
  readonly contextId: string;
  /** How many of the agent's questions have been answered. */
  readonly answered: number;
  /** The last of its questions; null: there was none. */
  readonly question: string | null;
}

interface Work extends Delegation {
  readonly agent: A2aAgent;
  readonly held: { task: Held | null };
  readonly signal: AbortSignal;
}

async function carryOn(deps: DelegationDeps, work: Work): Promise<NodeOutcome> {
  const { agent, held, signal, stream } = work;
  let rests: Promise<void> | null = null;
  if (held.task === null) {
    const begun = await begin(work);
    if (begun.kind === 'message') return begun.outcome;
    rests = begun.rests;
  }
  const { taskId, question } = await answer(work);
  const params = { agent, taskId, answered: question, stream, rests, signal };
  return conclude(work, await followTask({ ...params, delays: deps.delays }));
}

type Begun =
  | { readonly kind: 'message'; readonly outcome: NodeOutcome }
  | { readonly kind: 'task'; readonly rests: Promise<void> | null };

async function begin(work: Work): Promise<Begun> {
  const { agent, call, target, skill, stream, signal } = work;
  if (skill !== null && agent.skills.length > 0 && !agent.skills.includes(skill)) {
    throw new AgentFailure(`agent ${target.name} has no skill ${JSON.stringify(skill)}`, {
      errorClass: 'unsupported',
      isFinal: true,
    });
  }
  const content = contentOf(call.input);
  const message = { messageId: call.idempotencyKey, content, skill, task: null };
  const sent = await agent.send(message, { stream, signal });
  if (sent.kind === 'message') {
    const { text, data } = sent.content;
    const artifacts = [{ artifact_id: 'message', name: 'message', parts: sent.parts }];
    const output = { task_id: null, context_id: null, text, data, artifacts };
    return { kind: 'message', outcome: { ok: true, output, statePatch: {} } };
  }
  const { taskId, contextId, rests } = sent;
  await hold(work, { taskId, contextId, answered: 0, question: null });
  return { kind: 'task', rests };
}

/** Sends what came in answer to the agent's questions and has not been sent. */
async function answer(work: Work): Promise<Held> {
  const { agent, call, held, signal } = work;
  let task = taskOf(held);
  for (const [index, payload] of call.resumedWith.entries()) {
    if (index < task.answered) continue;
    const messageId = `${call.idempotencyKey}-${index + 1}`;
    const { state, messageIds } = await agent.get(task.taskId, signal);
    // An attempt before this one may have sent it and died.
    if (state === 'input_required' && !messageIds.includes(messageId)) {
      const content = contentOf(payload);
      const message = { messageId, content, skill: null, task };
      await agent.send(message, { stream: false, signal });
    }
    task = await hold(work, { ...task, answered: index + 1 });
  }
  return task;
}

async function conclude(work: Work, task: AgentTask): Promise<NodeOutcome> {
  const { target, onInputRequired } = work;
  const who = `agent ${target.name}`;
  switch (task.state) {
    case 'completed':
      return { ok: true, output: outputOf(task), statePatch: {} };
    case 'input_required':
      await tell(work, task);
      if (onInputRequired === 'park') {
        await hold(work, { ...taskOf(work.held), question: task.saying });
        return { ok: 'parked', until: { event: `a2a:${task.taskId}` } };
      }
      return failed(`${who} asks for input`, 'input_required');
    case 'auth_required':
      await tell(work, task);
      return failed(`${who} asks for other credentials`, 'unauthorized');
    case 'failed':
      await tell(work, task);
      return failed(`${who} failed at the task`, 'agent_failed');
    case 'rejected':
      await tell(work, task);
      return failed(`${who} rejected the task`, 'agent_rejected');
    case 'canceled':
      await tell(work, task);
      return failed(`${who} cancelled the task`, 'agent_canceled');
    case 'submitted':
    case 'working':
    case 'unknown':
      throw new Error(`task ${task.taskId} was followed to ${task.state}`);
  }
}

/** Trying again would find the same task in the same state. */
function failed(error: string, errorClass: string): NodeOutcome {
  return { ok: false, error, errorClass, final: true };
}

/** The agent's own words belong into an event, not into an error's text. */
async function tell({ call }: Work, { taskId, state, says }: AgentTask): Promise<void> {
  const text = says.text.slice(0, WORDS_MAX).toWellFormed();
  const data: JsonObject = { task_id: taskId, state, text, data: says.data };
  await call.record({ name: 'a2a_status', data, kept: false });
}

async function hold(work: Work, task: Held): Promise<Held> {
  const { taskId: task_id, contextId: context_id, answered, question } = task;
  work.held.task = task;
  const data = { task_id, context_id, answered, question };
  await work.call.record({ name: PROGRESS, data, kept: true });
  return task;
}

function readHeld(progress: NodeCall['progress']): Held | null {
  const { task_id: taskId, context_id: contextId, answered, question } = progress[PROGRESS] ?? {};
  if (typeof taskId !== 'string' || typeof contextId !== 'string') return null;
  return {
    taskId,
    contextId,
    answered: typeof answered === 'number' ? answered : 0,
    question: typeof question === 'string' ? question : null,
  };
}

function taskOf(held: Work['held']): Held {
  if (held.task === null) throw new Error('there is no task to continue');
  return held.task;
}

/** Best effort: it does not wait for the end of the task. */
async function cancel(deps: DelegationDeps, agent: A2aAgent, { taskId }: Held): Promise<void> {
  try {
    await agent.cancel(taskId, deps.delays.timeout(CANCEL_MS_MAX));
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
  }
}

/** Null: the node has none. The deducted time is for the cancel request to the agent. */
function limitOf({ timeout_ms: timeoutMs }: JsonObject): number | null {
  if (typeof timeoutMs !== 'number') return null;
  return Math.max(1, timeoutMs - Math.min(CANCEL_MS_MAX + 1_000, timeoutMs / 4));
}

const CANCEL_MS_MAX = 2_000;
