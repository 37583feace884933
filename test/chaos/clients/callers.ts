import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { Dice } from '../../simulation/dice.ts';
import {
  askToCancel,
  askToDecide,
  askToDeliver,
  askToPause,
  askToRead,
  askToResume,
  askToRetry,
  askToStart,
} from './requests.ts';
import { nextRestMs, type Request } from './ask-service.ts';
import { clientOf, learn, type KnownExecution, type Stage, type TenantOf } from './stage.ts';
import { EVENTS, FUNCTION_NAME, workflowsOf, type WorkflowName } from './workflows.ts';

/** Starts executions one after the other, and sends to each what it waits for, and more. */
export async function runCaller(stage: Stage, tenant: TenantOf, name: string): Promise<void> {
  const dice = stage.dice.fork(`${tenant.tenantId} ${name}`);
  const attended = new Set<Promise<void>>();
  for (let round = 0; !stage.isOver(); round += 1) {
    if (attended.size >= ATTENDED_MAX) await Promise.race(attended);
    const workflowId = pickWorkflow(tenant, dice);
    const token = `${tenant.tenantId}~${name}-${round}`;
    const request = startOf(stage, { workflowId, token });
    const executionId = await start(stage, tenant, { request, dice, name });
    if (executionId !== null) {
      const started = { tenantId: tenant.tenantId, executionId, workflowId, token };
      learn(stage.known.executions, started);
      const of = { started, dice: dice.fork(token), retries: 2 };
      const deeds: Promise<void> = attend(stage, tenant, of).finally(() => attended.delete(deeds));
      attended.add(deeds);
    }
    await stage.pause(dice.between(...REST_MS));
  }
  await Promise.all(attended);
}

const REST_MS = [100, 500] as const;
/** So that a service that falls behind can catch up. */
const ATTENDED_MAX = 15;
const FUNCTIONS = 0.3;

/** Functions are more frequent, because each of them starts a family of executions. */
function pickWorkflow(tenant: TenantOf, dice: Dice): WorkflowName {
  const names = workflowsOf(tenant);
  return names.includes(FUNCTION_NAME) && dice.chance(FUNCTIONS) ? FUNCTION_NAME : dice.pick(names);
}

export function startOf(
  { outsideUrl }: Pick<Stage, 'outsideUrl'>,
  of: { readonly workflowId: string; readonly token: string },
): Request {
  const input: JsonObject = { token: of.token, outside: outsideUrl };
  return askToStart({ ...of, key: of.token, input });
}

/** Sends under one key: once, twice at the same time, or again after the answer. */
async function start(
  { service }: Stage,
  tenant: TenantOf,
  { request, dice, name }: { request: Request; dice: Dice; name: string },
): Promise<string | null> {
  const by = clientOf(tenant, name);
  const isTwin = dice.chance(0.2);
  const twin = isTwin ? service.insist(by, request) : null;
  const answer = await service.insist(by, request);
  await twin;
  if (dice.chance(0.1)) await service.insist(by, request);
  const id = answer?.status === 201 ? answer.body['execution_id'] : null;
  return typeof id === 'string' ? id : null;
}

/** The operations of several concurrent clients on one execution. */
async function attend(
  stage: Stage,
  tenant: TenantOf,
  of: { started: KnownExecution; dice: Dice; retries: number },
): Promise<void> {
  const { started, dice, retries } = of;
  const { workflowId, executionId, token } = started;
  const deeds: Promise<unknown>[] = [];
  for (const [index, correlationKey] of (EVENTS[workflowId] ?? []).entries()) {
    const event = { executionId, correlationKey, token: `${token}-event${index}` };
    // Half of the events arrive before anybody waits for them.
    const afterMs = dice.chance(0.5) ? 0 : dice.between(200, 3_000);
    deeds.push(deliver(stage, tenant, { event, afterMs }));
  }
  if (workflowId === 'approval' || workflowId === FUNCTION_NAME) {
    for (let reviewer = 0; reviewer < dice.between(2, 4); reviewer += 1) {
      const name = `reviewer${reviewer}`;
      deeds.push(review(stage, tenant, { started, name, dice: dice.fork(name) }));
    }
  }
  if (dice.chance(0.15))
    deeds.push(holdUp(stage, tenant, { executionId, dice: dice.fork('hold') }));
  const isCancelled = dice.chance(0.1);
  if (isCancelled) {
    await stage.pause(dice.between(0, 2_000));
    deeds.push(stage.service.insist(clientOf(tenant, 'canceller'), askToCancel(executionId)));
  }
  const mayFail = workflowId === 'fragile' || workflowId === FUNCTION_NAME;
  const isTriedAgain = retries > 0 && (isCancelled || mayFail);
  if (isTriedAgain) deeds.push(mend(stage, tenant, { ...of, dice: dice.fork('mend') }));
  await Promise.all(deeds);
}

/** Sends again under a new token when no answer came, because that is another event. */
async function deliver(
  stage: Stage,
  tenant: TenantOf,
  of: { event: Parameters<typeof askToDeliver>[0]; afterMs: number },
): Promise<void> {
  const { event, afterMs } = of;
  await stage.pause(afterMs);
  for (let round = 0, restMs = DELIVER_REST_MS; !stage.isOver(); round += 1) {
    const token = `${event.token}.${round}`;
    const request = askToDeliver({ ...event, token });
    const answer = await stage.service.ask(clientOf(tenant, 'sender'), request);
    if (answer !== null && answer.status < 500) return;
    await stage.pause(restMs);
    restMs = nextRestMs(restMs, answer, DELIVER_REST_MS);
  }
}

const DELIVER_REST_MS = 200;

const REVIEW_ROUNDS_MAX = 40;
const REVIEW_REST_MS = 250;

/** The step of the function that waits; null: the node itself waits. */
export function stepToDecide(workflowId: string): string | null {
  return workflowId === FUNCTION_NAME ? 'may' : null;
}

/** Asks at the same moments as the other reviewers, until somebody has decided. */
async function review(
  { service, pause, isOver }: Stage,
  tenant: TenantOf,
  { started, name, dice }: { started: KnownExecution; name: string; dice: Dice },
): Promise<void> {
  const { executionId, token, workflowId } = started;
  const step = stepToDecide(workflowId);
  let restMs = REVIEW_REST_MS;
  for (let round = 0; round < REVIEW_ROUNDS_MAX && !isOver(); round += 1) {
    const decision = dice.chance(0.7) ? 'approved' : 'rejected';
    const said = `${token}-${name}.${round}`;
    const request = askToDecide({ executionId, decision, token: said, step });
    const answer = await service.ask(clientOf(tenant, name), request);
    if (answer?.body['accepted'] === true || answer?.status === 404) return;
    restMs = nextRestMs(restMs, answer, REVIEW_REST_MS);
    await pause(restMs);
  }
}

/** Pauses the execution for a while, checks that it does not advance, and resumes it. */
async function holdUp(
  { service, pause, isOver }: Stage,
  tenant: TenantOf,
  { executionId, dice }: { executionId: string; dice: Dice },
): Promise<void> {
  const by = clientOf(tenant, 'holder');
  for (let time = dice.between(1, 2); time > 0 && !isOver(); time -= 1) {
    await pause(dice.between(0, 1_500));
    await service.insist(by, askToPause(executionId));
    await pause(dice.between(100, 6_000));
    await service.ask(by, askToRead(executionId));
    await service.insist(by, askToResume(executionId));
  }
}

const LOOKS_EVERY_MS = 700;

/**
 * After a failure or a cancellation, two clients retry it at the same time, with or without a
 * change.
 */
async function mend(
  stage: Stage,
  tenant: TenantOf,
  { started, dice, retries }: { started: KnownExecution; dice: Dice; retries: number },
): Promise<void> {
  const { executionId, token } = started;
  const by = clientOf(tenant, 'mender');
  for (let restMs = LOOKS_EVERY_MS; ;) {
    await stage.pause(restMs);
    if (stage.isOver()) return;
    const answer = await stage.service.ask(by, askToRead(executionId));
    restMs = nextRestMs(restMs, answer, LOOKS_EVERY_MS);
    const { status } = answer?.status === 200 ? answer.body : {};
    if (status === 'completed' || answer?.status === 404) return;
    if (status === 'failed' || status === 'cancelled') break;
  }
  const answers = await Promise.all(
    [null, { mended: token }].map((patch) =>
      stage.service.insist(by, askToRetry(executionId, patch)),
    ),
  );
  const ids = answers.map((answer) => answer?.body['retried_as'] ?? answer?.body['execution_id']);
  const retriedAs = ids.find((id) => typeof id === 'string');
  if (typeof retriedAs !== 'string') return;
  const retried = { ...started, executionId: retriedAs, token: `${token}+` };
  learn(stage.known.executions, retried);
  await attend(stage, tenant, { started: retried, dice, retries: retries - 1 });
}
