import { setTimeout as delay } from 'node:timers/promises';

import type { ExecutionEvent } from '../support/wire.ts';
import type { Ask } from './ask.ts';
import { identitiesOf, visitsOf, walk, type Plan } from './program.ts';

/*
 * Drives one execution as clients do: starts it, sends its events and decisions, and perhaps
 * cancels it.
 */

export interface End {
  readonly status: string;
  readonly output: unknown;
  readonly error: unknown;
}

/** The course of an execution. */
export interface Course {
  readonly executionId: string;
  /** Null: the execution did not end in time. */
  readonly end: End | null;
  /** The service has acknowledged a cancel. */
  readonly isToldCancelled: boolean;
}

export interface Calls {
  /** Resolves at the first call of the operation. */
  whenCalled(tag: string, id: string): Promise<void>;
}

const APPROVE_EVERY_MS = 300;

export async function drive(
  plan: Plan,
  given: { readonly ask: Ask; readonly calls: Calls; readonly signal: AbortSignal },
): Promise<Course> {
  const { ask, signal } = given;
  const started = await ask<{ readonly execution_id: string }>({
    path: '/executions',
    headers: { 'Idempotency-Key': plan.tag },
    body: { workflow_id: 'crash', input: { tag: plan.tag, program: plan.program } },
  });
  if (started.status !== 201 && started.status !== 200) {
    throw new Error(`the start answered ${started.status}: ${JSON.stringify(started.body)}`);
  }
  const executionId = started.body.execution_id;
  const over = new AbortController();
  const link = (): void => over.abort();
  signal.addEventListener('abort', link, { once: true });
  const acting = [
    ...deliverAll(plan, { ...given, executionId, signal: over.signal }),
    ...decideAll(plan, { ...given, executionId, signal: over.signal }),
  ];
  const cancelling = cancelIt(plan, { ...given, executionId, signal: over.signal });
  const end = await awaitEnd(ask, executionId, signal);
  over.abort();
  signal.removeEventListener('abort', link);
  await Promise.all(acting);
  return { executionId, end, isToldCancelled: await cancelling };
}

/** Null if the execution did not end before the signal aborted. */
export async function awaitEnd(
  ask: Ask,
  executionId: string,
  signal: AbortSignal,
): Promise<End | null> {
  while (!signal.aborted) {
    const reply = await ask<End>({ path: `/executions/${executionId}/result?wait=10s` });
    if (reply.status === 200) return reply.body;
    if (reply.status !== 202) throw new Error(`the result answered ${reply.status}`);
  }
  return null;
}

export async function readEvents(
  ask: Ask,
  executionId: string,
): Promise<readonly ExecutionEvent[]> {
  const path = `/executions/${executionId}/events`;
  const { status, body } = await ask<{ readonly events: readonly ExecutionEvent[] }>({ path });
  if (status !== 200) throw new Error(`the events answered ${status}`);
  return body.events;
}

interface Acting {
  readonly ask: Ask;
  readonly calls: Calls;
  readonly executionId: string;
  readonly signal: AbortSignal;
}

function deliverAll(plan: Plan, { ask, executionId, signal }: Acting): readonly Promise<void>[] {
  return [...plan.deliverMs].map(async ([id, afterMs]) => {
    await pause(afterMs, signal);
    if (signal.aborted) return;
    const path = `/executions/${executionId}/external-event`;
    await ask({ path, body: { correlation_key: id, payload: `event ${id}` } });
  });
}

/** Repeats each decision, because only an open approval accepts it. */
function decideAll(plan: Plan, { ask, executionId, signal }: Acting): readonly Promise<void>[] {
  const programs = visitsOf(plan).map(({ program }) => program);
  const identities = new Map(programs.flatMap((program) => [...identitiesOf(program)]));
  const approvals = programs
    .flatMap((program) => [...walk(program)])
    .filter((operation) => operation.op === 'approval');
  return approvals.map(async ({ id, decision }) => {
    if (decision === null) return;
    const body = { decision, step: identities.get(id) ?? id, comment: id, user_id: 'someone' };
    for (;;) {
      await pause(APPROVE_EVERY_MS, signal);
      if (signal.aborted) return;
      const path = `/executions/${executionId}/approve`;
      const reply = await ask<{ readonly accepted?: boolean }>({ path, body });
      if (reply.body.accepted === true) return;
    }
  });
}

/** Whether the service acknowledged the cancel. */
async function cancelIt(plan: Plan, given: Acting): Promise<boolean> {
  const { cancel } = plan;
  const { ask, executionId, signal } = given;
  if (cancel === null) return false;
  if (cancel.at !== null) {
    await Promise.race([given.calls.whenCalled(cancel.at.tag, cancel.at.id), aborted(signal)]);
  }
  await pause(cancel.afterMs, signal);
  if (signal.aborted) return false;
  const path = `/executions/${executionId}/cancel`;
  const reply = await ask({ method: 'POST', path });
  return reply.status === 200;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => undefined);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
