import { parseExecutionId } from '../../src/shared/domain/ids.ts';
import { retryIdOf } from '../../src/shared/engine/executions/retry-execution.ts';
import { insist, LAST_ARRIVAL_MS, type Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import { runForker } from './forkers.ts';
import { runImporter } from './importers.ts';
import type { Request } from './network.ts';
import {
  askToCancel,
  askToDecide,
  askToDeliver,
  askToMove,
  askToPause,
  askToRead,
  askToResume,
  askToRetry,
  askToStart,
  type Client,
} from './requests.ts';
import { BUILDS, type PlannedPause, type PlannedStart } from './scenario.ts';
import {
  EVENTS,
  FAIR_TWINS,
  WITH_BUDGETS,
  WITH_FUNCTIONS,
  type WorkflowName,
} from './workflows.ts';

interface Known {
  readonly tenantId: string;
  readonly executionId: string;
}

/** Starts an execution, with retries until it is answered, and carries out the plan for it. */
export async function runCaller(
  outside: Outside,
  plan: PlannedStart,
  dice: Dice,
  onStarted: (execution: Known) => void,
): Promise<void> {
  const { name, tenantId, workflowId, atMs, cancelAfterMs } = plan;
  const by = (role: string): Client => ({ client: `${name}-${role}`, tenantId });
  await outside.world.pause(atMs);
  const waitMs = plan.waits?.startMs ?? 0;
  const start = askToStart(by('caller'), { key: name, workflowId, token: name, waitMs });
  const answer = await insist(outside, dice, start);
  const executionId = (answer?.status ?? 0) < 300 ? answer?.body['execution_id'] : null;
  if (typeof executionId !== 'string') return;
  onStarted({ tenantId, executionId });
  if (cancelAfterMs !== null) {
    const cancel = askToCancel(by('canceller'), { executionId });
    void insistLater(outside, dice, { ms: cancelAfterMs, request: cancel });
  }
  await accompany(outside, { ...plan, executionId }, dice, onStarted);
}

/**
 * Attends an execution, retries it after a failure, forks and imports it, as planned. One that an
 * import brings back after its removal is retried like others.
 */
async function accompany(
  outside: Outside,
  plan: PlannedStart & { readonly executionId: string },
  dice: Dice,
  onStarted: (execution: Known) => void,
): Promise<void> {
  const onForked = async (executionId: string, name: string): Promise<void> => {
    const { tenantId, forks, cancelAfterMs } = plan;
    onStarted({ tenantId, executionId });
    const own = dice.fork(name);
    if (cancelAfterMs !== null && own.chance(0.5)) {
      const cancel = askToCancel({ client: `${name}-canceller`, tenantId }, { executionId });
      void insistLater(outside, own, { ms: cancelAfterMs, request: cancel });
    }
    await accompany(outside, { ...plan, name, executionId, forks: forks - 1 }, own, onStarted);
  };
  await Promise.all([
    attend(outside, plan, dice),
    mend(outside, plan, dice.fork('mender'), onStarted),
    runForker(outside, plan, dice.fork('forker'), onForked),
    runImporter(outside, plan, dice.fork('importer'), () =>
      mend(outside, backOf(plan), dice.fork('back'), onStarted),
    ),
  ]);
}

function backOf<Plan extends PlannedStart>(plan: Plan): Plan {
  return { ...plan, name: `${plan.name}^`, retries: Math.min(plan.retries, 1) };
}

/**
 * Sends the events and decisions that an execution waits for, and pauses it as planned. Resolves
 * after the last resumption.
 */
async function attend(
  outside: Outside,
  plan: PlannedStart & { readonly executionId: string },
  dice: Dice,
): Promise<void> {
  const { name, tenantId, executionId, workflowId, eventAfterMs, paused } = plan;
  const by = (role: string): Client => ({ client: `${name}-${role}`, tenantId });
  const held =
    paused && holdUp(outside, dice.fork('pauses'), { by: by('holder'), executionId, paused });
  void move(outside, { by: by('mover'), executionId, times: plan.moves }, dice.fork('moves'));
  const correlationKey = EVENTS[workflowId];
  if (correlationKey !== undefined) {
    // A function waits for the same event repeatedly.
    for (let more = isFunction(workflowId) ? 2 : 0; more >= 0; more -= 1) {
      const token = `${name}-event${more === 0 ? '' : more}`;
      const request = askToDeliver(by('sender'), { executionId, correlationKey, token });
      void insistLater(outside, dice, { ms: eventAfterMs * (1 + more / 2), request });
    }
  }
  const patchesState = workflowId === 'approval';
  const isReviewed = patchesState || isFunction(workflowId);
  const reviewers = isReviewed ? plan.reviewers : 0;
  for (let reviewer = 0; reviewer < reviewers; reviewer += 1) {
    const own = by(`reviewer${reviewer}`);
    void review(outside, { ...own, executionId, patchesState }, dice.fork(own.client));
  }
  await held;
}

function isFunction(workflowId: WorkflowName): boolean {
  const names = [...WITH_FUNCTIONS, ...WITH_BUDGETS, ...Object.values(FAIR_TWINS)];
  return names.includes(workflowId);
}

async function insistLater(
  outside: Outside,
  dice: Dice,
  { ms, request }: { readonly ms: number; readonly request: Request },
): Promise<void> {
  await outside.world.pause(ms);
  await insist(outside, dice, request);
}

/** Pauses an execution repeatedly, and finally resumes it. */
async function holdUp(
  outside: Outside,
  dice: Dice,
  of: { readonly by: Client; readonly executionId: string; readonly paused: PlannedPause },
): Promise<void> {
  const { world, network } = outside;
  const { by, executionId, paused } = of;
  for (let time = 0; time < paused.times && !outside.isCalm(); time += 1) {
    await world.pause(paused.afterMs);
    await insist(outside, dice, askToPause(by, { executionId }));
    await world.pause(paused.forMs);
    await network.send(askToRead(by, { executionId }));
    await insist(outside, dice, askToResume(by, { executionId }));
  }
  // A duplicate of a pause request may arrive later, when a frozen process thaws.
  while (!outside.isCalm()) await world.pause(100);
  await world.pause(LAST_ARRIVAL_MS);
  await insist(outside, dice, askToResume(by, { executionId }));
}

/** Moves the functions of an execution to another build repeatedly, or lets any build take them. */
async function move(
  outside: Outside,
  of: { readonly by: Client; readonly executionId: string; readonly times: number },
  dice: Dice,
): Promise<void> {
  const { by, executionId, times } = of;
  for (let time = 0; time < times && !outside.isOver(); time += 1) {
    await outside.world.pause(dice.between(0, 300));
    const buildId = dice.pick([...BUILDS, null]);
    await insist(outside, dice, askToMove(by, { executionId, buildId }));
  }
}

/** Repeats the decision until the execution accepts one. */
async function review(
  { world, network, isOver }: Outside,
  of: Client & { readonly executionId: string; readonly patchesState: boolean },
  dice: Dice,
): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX && !isOver(); round += 1) {
    await world.pause(dice.between(20, 400));
    const decision = dice.chance(0.7) ? 'approved' : 'rejected';
    const { executionId, patchesState, ...by } = of;
    const token = `${of.client}.${round}`;
    const asked = { executionId, decision, token, patchesState } as const;
    const answer = await network.send(askToDecide(by, asked));
    if (answer?.body['accepted'] === true) return;
  }
}

const ROUNDS_MAX = 30;

/**
 * Retries the execution after a failure, with two requests at once, and attends the retry like the
 * original.
 */
async function mend(
  outside: Outside,
  plan: PlannedStart & { readonly executionId: string },
  dice: Dice,
  onStarted: (execution: Known) => void,
): Promise<void> {
  const { name, tenantId, executionId, retries } = plan;
  const by = { client: `${name}-mender`, tenantId };
  if (retries === 0 || !(await hasFailed(outside, { ...by, executionId }, dice))) return;
  const answers = await Promise.all(
    [null, { mended: name }].map((statePatch) =>
      insist(outside, dice, askToRetry(by, { executionId, statePatch })),
    ),
  );
  const ids = answers.map((answer) => answer?.body['retried_as'] ?? answer?.body['execution_id']);
  const retriedAs =
    ids.find((id) => typeof id === 'string') ??
    (await findRetry(outside, dice, { ...by, executionId }));
  if (typeof retriedAs !== 'string') return;
  onStarted({ tenantId, executionId: retriedAs });
  const next = { ...plan, name: `${name}+`, executionId: retriedAs, retries: retries - 1 };
  await Promise.all([
    attend(outside, next, dice.fork('next')),
    mend(outside, next, dice.fork('mender'), onStarted),
  ]);
}

/**
 * Finds a retry whose answer was lost. Once retention has removed the original, no answer names the
 * retry any more.
 */
async function findRetry(
  outside: Outside,
  dice: Dice,
  { executionId, ...by }: Client & { readonly executionId: string },
): Promise<string | null> {
  const original = parseExecutionId(executionId);
  if (original === null) return null;
  const retry = retryIdOf(original);
  const answer = await insist(outside, dice, askToRead(by, { executionId: retry }));
  return answer?.status === 200 ? retry : null;
}

/** False: the execution did not fail before all faults ended. */
async function hasFailed(
  { world, network, isCalm }: Outside,
  { executionId, ...by }: Client & { readonly executionId: string },
  dice: Dice,
): Promise<boolean> {
  while (!isCalm()) {
    await world.pause(dice.between(20, 150));
    const answer = await network.send(askToRead(by, { executionId }));
    const { status } = answer?.status === 200 ? answer.body : {};
    if (status === 'failed' || status === 'cancelled') return true;
    if (status === 'completed' || answer?.status === 404) return false;
  }
  return false;
}
