import { setTimeout as delay } from 'node:timers/promises';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { Violation } from '../../invariants/violation.ts';
import { createDice } from '../../simulation/dice.ts';
import type { ExecutionSummary } from '../../support/wire.ts';
import type { ClientsParams } from '../types.ts';
import { abandonItem } from './abandon-item.ts';
import { openBook } from './book.ts';
import { startOf, stepToDecide } from './callers.ts';
import { startOutside } from './outside.ts';
import {
  askForEvents,
  askToCancel,
  askToDecide,
  askToDeliver,
  askToExplain,
  askToList,
  askToRead,
  askToResume,
} from './requests.ts';
import { connectTo, type Request } from './ask-service.ts';
import { clientOf, createStage, type Stage, type TenantOf } from './stage.ts';
import { resumeWorkflows } from './switches.ts';
import { provideTenants } from './tenants.ts';
import { runWorker } from './workers.ts';
import { workflowsOf } from './workflows.ts';

/**
 * Runs after all faults are healed. It starts one execution of each workflow, sends to every
 * execution what it waits for, and requires all of them to end in time. An execution that does not
 * end must report why. In the end it reads everything again, at any of the APIs.
 */
export async function runFinalOperations(
  params: ClientsParams & { readonly withinMs: number },
): Promise<readonly Violation[]> {
  const { urls, apiKey, seed, withinMs, now } = params;
  const dice = createDice(seed).fork('final operations');
  const deadline = now() + withinMs;
  const book = openBook(params);
  const outside = await startOutside(book);
  const tenants = await provideTenants({ urls, apiKey, dice: dice.fork('tenants') });
  const over = new AbortController();
  const service = connectTo({ urls, book, dice: dice.fork('urls') });
  const outsideUrl = outside.url;
  const stage = createStage({
    service,
    dice,
    tenants,
    outsideUrl,
    rests: 1,
    over: over.signal,
  });
  await resumeWorkflows(stage);
  const unexplained = await explainAll(stage);
  const amber = tenants.filter(({ tenantId }) => tenantId === 'amber');
  const kept = await Promise.all(amber.map((tenant) => abandonItem(stage, tenant, now)));
  const workers = tenants.map((tenant) =>
    runWorker(stage, tenant, { name: 'finisher', queues: BOTH, mischief: 0 }),
  );
  const unstarted = await startAnew(stage, deadline - now());
  let live: readonly Live[] = [];
  for (let round = 0; ; round += 1) {
    live = await listLive(stage);
    if (live.length === 0 || now() > deadline) break;
    for (const one of live) await serve(stage, one, round);
    await delay(LOOK_MS);
  }
  const unended = await tellUnended(stage, live);
  await readAll(stage);
  over.abort();
  service.giveUp();
  await Promise.all(workers);
  await outside.close();
  return [...unexplained, ...kept.flat(), ...unstarted, ...unended];
}

const BOTH = ['python_tool', 'java_tool'] as const;
const LOOK_MS = 300;

interface Live {
  readonly tenant: TenantOf;
  readonly executionId: string;
  readonly workflowId: string;
}

async function listLive(stage: Stage): Promise<readonly Live[]> {
  const found: Live[] = [];
  for (const tenant of stage.tenants) {
    for (const status of ['running', 'paused']) found.push(...(await list(stage, tenant, status)));
  }
  return found;
}

async function list(stage: Stage, tenant: TenantOf, status?: string): Promise<readonly Live[]> {
  const answer = await stage.service.insist(clientOf(tenant, 'finisher'), askToList(status));
  const rows = (answer?.body['executions'] ?? []) as unknown as readonly ExecutionSummary[];
  return rows.map(({ execution_id: executionId, workflow_id: workflowId }) => ({
    tenant,
    executionId,
    workflowId,
  }));
}

/** An execution that has not ended must report what it waits for. */
async function explainAll(stage: Stage): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const one of await listLive(stage)) {
    const answer = await explain(stage, one);
    const { moving, ended, blockers } = answer?.body ?? {};
    const isExplained = moving === true || ended !== null || blockersOf({ blockers }).length > 0;
    if (answer?.status === 200 && isExplained) continue;
    violations.push({
      rule: 'what has not ended says why',
      about: { execution: one.executionId },
      saw: `answered ${answer?.status ?? 'nothing'}: ${JSON.stringify(answer?.body)}`,
    });
  }
  return violations;
}

function explain({ service }: Stage, { tenant, executionId }: Live) {
  return service.insist(clientOf(tenant, 'finisher'), askToExplain(executionId));
}

function blockersOf(body: { readonly blockers?: unknown }): readonly JsonObject[] {
  return Array.isArray(body.blockers) ? (body.blockers as readonly JsonObject[]) : [];
}

/** Per tenant without a limit, starts one execution of each workflow, and cancels another one. */
async function startAnew(stage: Stage, withinMs: number): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  const expect = async (tenant: TenantOf, request: Request, status: number) => {
    const giveUp = AbortSignal.timeout(Math.ceil(Math.max(withinMs, 1_000)));
    const by = clientOf(tenant, 'finisher');
    for (;;) {
      const answer = await stage.service.ask(by, request);
      if (answer?.status === status) return answer;
      if (giveUp.aborted || (answer !== null && answer.status < 500 && answer.status !== 429)) {
        violations.push({
          rule: 'with everybody well, requests succeed',
          about: { tenant: tenant.tenantId, path: request.http.path },
          saw: `answered ${answer?.status ?? 'nothing'}: ${JSON.stringify(answer?.body)}`,
        });
        return answer;
      }
      await delay(LOOK_MS);
    }
  };
  for (const tenant of stage.tenants.filter(({ executionsMax }) => executionsMax === null)) {
    for (const workflowId of workflowsOf(tenant)) {
      const token = `${tenant.tenantId}~final-${workflowId}`;
      await expect(tenant, startOf(stage, { workflowId, token }), 201);
    }
    const token = `${tenant.tenantId}~final-cancelled`;
    const started = await expect(tenant, startOf(stage, { workflowId: 'payment', token }), 201);
    const id = started?.body['execution_id'];
    if (typeof id === 'string') await expect(tenant, askToCancel(id), 200);
  }
  return violations;
}

/** Sends to an execution what it reports to wait for. */
async function serve(stage: Stage, one: Live, round: number): Promise<void> {
  const { service } = stage;
  const { tenant, executionId } = one;
  const by = clientOf(tenant, 'finisher');
  const answer = await explain(stage, one);
  for (const blocker of blockersOf(answer?.body ?? {})) {
    const token = `${tenant.tenantId}~final-${executionId}.${round}`;
    const { code, correlation_key: key } = blocker;
    if (code === 'paused_by_operator') await service.ask(by, askToResume(executionId));
    if (code === 'awaiting_approval') {
      const step = stepToDecide(one.workflowId);
      await service.ask(by, askToDecide({ executionId, decision: 'approved', token, step }));
    }
    if (code === 'awaiting_event' && typeof key === 'string') {
      await service.ask(by, askToDeliver({ executionId, correlationKey: key, token }));
    }
  }
}

async function tellUnended(stage: Stage, live: readonly Live[]): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const one of live) {
    const answer = await explain(stage, one);
    violations.push({
      rule: 'with everybody well and willing, every execution ends in time',
      about: { execution: one.executionId, workflow: one.workflowId },
      saw: JSON.stringify(answer?.body ?? 'it does not say why'),
    });
  }
  return violations;
}

/** The number of connections that a browser opens. */
const READERS = 6;

async function readAll(stage: Stage): Promise<void> {
  for (const tenant of stage.tenants) {
    const left = [...(await list(stage, tenant))];
    const by = clientOf(tenant, 'finisher');
    const readOn = async (): Promise<void> => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        await stage.service.insist(by, askToRead(one.executionId));
        await stage.service.insist(by, askForEvents(one.executionId));
      }
    };
    await Promise.all(Array.from({ length: READERS }, readOn));
  }
}
