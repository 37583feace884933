import type { ExecutionRef, Reader } from '../caller.ts';
import { dataPolicyOf } from '../../domain/data-policy/data-policy.ts';
import { redact } from '../../domain/data-policy/redact.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { Blocker, Explanation } from '../../domain/execution/explain/blocker.ts';
import { explain } from '../../domain/execution/explain/explain.ts';
import {
  type ChildFacts,
  type ExecutionFacts,
  type ItemPlace,
} from '../../domain/execution/explain/facts.ts';
import { questionsOf, visitsLookedAt } from '../../domain/execution/explain/questions.ts';
import { blockerOf } from '../../domain/execution/explain/scene.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { notFound } from '../../domain/errors.ts';
import { type ExecutionId, parseExecutionId, type TenantId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import {
  type ExecutionRow,
  type LoadedExecution,
  StoreUnavailableError,
} from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import type { CompiledDefinition } from '../advance/definition-cache.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import {
  findFlowWait,
  findPlaceWait,
  type TenantReader,
  UNCOUNTED,
} from '../flow/find-flow-wait.ts';
import { AHEAD_EXPLAINED_MAX } from '../../domain/execution/explain/facts.ts';
import { flowRulesOf } from '../flow/flow-rules.ts';
import { rulesInForce } from '../flow/rules-in-force.ts';
import {
  redactEvent,
  redactFailure,
  redactPauses,
  redactReason,
  redactWait,
} from './redact-view.ts';

export interface ExplainedExecution extends Explanation {
  readonly executionId: ExecutionId;
  /** The database's clock at the reading. */
  readonly asOf: string;
}

type ExplainDeps = Pick<EngineDeps, 'store' | 'definitions' | 'pseudonym'> & TenantReader;

/** Why an execution is where it is; 404 for an unknown one and another tenant's. */
export async function explainExecution(
  deps: ExplainDeps,
  { tenantId }: Reader,
  params: ExecutionRef,
): Promise<ExplainedExecution> {
  const executionId = parseExecutionId(params.executionId);
  const explained =
    executionId && (await explainKnown(deps, { executionId, tenantId, isChild: false }));
  if (explained === null) throw notFound(`execution ${params.executionId}`);
  return explained;
}

/** State and facts are two readings: they are made again while the execution moves in between. */
const READINGS_MAX = 5;

async function explainKnown(
  deps: ExplainDeps,
  of: {
    readonly executionId: ExecutionId;
    readonly tenantId: TenantId;
    /** Children of children are not looked into. */
    readonly isChild: boolean;
  },
): Promise<ExplainedExecution | null> {
  const { executionId, tenantId } = of;
  const { executions, diagnosis } = deps.store;
  for (let reading = 1; ; reading += 1) {
    const loaded = await executions.load(executionId, tenantId);
    if (loaded === null) return null;
    const read = await readState(deps, loaded);
    const { workItemIds, timerNames, childIds } = questionsOf(read.ok ? read.state : null);
    const facts = await diagnosis.executionFacts({
      executionId,
      tenantId,
      workItemIds,
      timerNames,
    });
    if (facts === null) return null;
    const as = { executionId, asOf: facts.now };
    if (!read.ok) return { ...as, ...unreadable(facts, read.error) };
    const { state, plan } = read;
    if (facts.lastSequence !== state.sequence) {
      if (reading === READINGS_MAX) return { ...as, ...advancing(facts) };
      continue;
    }
    const events = await recentEvents(deps, loaded, state);
    const children = of.isChild ? [] : childIds;
    // A child tells its code alone.
    const bounds = of.isChild ? UNCOUNTED : { aheadMax: AHEAD_EXPLAINED_MAX };
    const flowWait = await findFlowWait(deps, state, bounds);
    return {
      ...as,
      ...explain({
        plan,
        state: {
          ...state,
          pauses: redactPauses(state.pauses, plan, deps.pseudonym),
          ending: state.ending && {
            ...state.ending,
            failure: redactFailure(state.ending.failure, plan, deps.pseudonym),
          },
        },
        now: facts.now,
        facts: showFacts(deps, facts, { plan, state }),
        flowWait: redactWait(flowWait, plan),
        rate: flowWait?.isPaced === true ? await rateInForce(deps, read) : null,
        placeWait: await findPlaceWait(deps, state, bounds),
        workflowPause: redactReason(loaded.workflowPause, plan, deps.pseudonym),
        events: events.map((event) => redactEvent(event, plan, deps.pseudonym)),
        children: new Map(
          await Promise.all(
            children.map(async (id) => [id, await readChild(deps, id, tenantId)] as const),
          ).then((found) => found.flatMap(([id, child]) => (child === null ? [] : [[id, child]]))),
        ),
      }),
    };
  }
}

async function rateInForce(
  deps: Pick<ExplainDeps, 'definitions'>,
  { compiled, state }: Extract<Read, { readonly ok: true }>,
): Promise<Plan['rate']> {
  const rules = flowRulesOf(compiled, state.startRules);
  return (await rulesInForce(deps, { tenantId: state.tenantId, rules })).rate;
}

type Read =
  | {
      readonly ok: true;
      readonly state: ExecutionState;
      readonly plan: Plan;
      readonly compiled: CompiledDefinition;
    }
  | { readonly ok: false; readonly error: string };

/** An error that would stop a scheduler must appear in the explanation. */
async function readState(deps: ExplainDeps, loaded: LoadedExecution): Promise<Read> {
  try {
    const compiled = await deps.definitions.get(loaded.row.definitionId);
    const { plan } = compiled;
    return { ok: true, plan, compiled, state: foldLoaded(loaded, plan) };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function unreadable(facts: ExecutionFacts, error: string): Explanation {
  return wholly(
    facts,
    blockerOf(WHOLE, {
      code: 'history_unreadable',
      message: `its history cannot be read: ${error}`,
      since: facts.updatedAt,
      unblockedBy: 'a version of this program that can read it, or the definition it runs on',
      details: { error },
    }),
  );
}

function advancing(facts: ExecutionFacts): Explanation {
  return wholly(
    facts,
    blockerOf(WHOLE, {
      code: 'advancing',
      message: 'it moved at every look: events are being recorded all the time',
      since: facts.updatedAt,
      moving: true,
      unblockedBy: 'nothing: it is not blocked',
    }),
  );
}

const WHOLE = { nodeId: null, visit: null };

function wholly(facts: ExecutionFacts, blocker: Blocker): Explanation {
  return {
    status: facts.status,
    moving: blocker.moving,
    nextWakeUp: null,
    ending: null,
    failure: null,
    blockers: [blocker],
    blockersTotal: 1,
    ended: null,
  };
}

/** So many events are looked through for times and errors, from where a live visit began and to the end. */
const EVENTS_MAX = 500;

async function recentEvents(
  deps: ExplainDeps,
  { row, snapshot, events }: LoadedExecution,
  state: ExecutionState,
): Promise<readonly RecordedEvent[]> {
  if (snapshot === null) return events;
  const { executions } = deps.store;
  const { executionId } = row;
  const scheduled = visitsLookedAt(state).map(({ scheduledSequence }) => scheduledSequence);
  const starts = [Math.min(...scheduled) - 1, row.lastSequence - EVENTS_MAX];
  const windows = await Promise.all(
    starts
      .filter((after) => after < snapshot.sequence)
      .map((after) =>
        executions.events({ executionId, after: Math.max(0, after), limit: EVENTS_MAX }),
      ),
  );
  const bySequence = new Map(
    [...windows.flat(), ...events].map((event) => [event.sequence, event]),
  );
  return bySequence
    .values()
    .toArray()
    .toSorted((one, other) => one.sequence - other.sequence);
}

/** A child that ran on as others, this often, is followed to the run that is live. */
const RUNS_MAX = 20;

async function readChild(
  deps: ExplainDeps,
  childId: ExecutionId,
  tenantId: TenantId,
): Promise<ChildFacts | null> {
  let row: ExecutionRow | null = null;
  let executionId: ExecutionId | null = childId;
  for (let run = 0; run < RUNS_MAX && executionId !== null; run += 1) {
    const found: LoadedExecution | null = await deps.store.executions.load(executionId, tenantId);
    if (found === null) break;
    row = found.row;
    executionId = isTerminal(row.status) ? continuedAs(found) : null;
  }
  if (row === null) return null;
  const explained = isTerminal(row.status)
    ? null
    : await explainKnown(deps, { executionId: row.executionId, tenantId, isChild: true });
  return {
    executionId: row.executionId,
    status: row.status,
    completedAt: row.completedAt,
    code: explained?.blockers[0]?.code ?? null,
  };
}

function continuedAs({ events }: LoadedExecution): ExecutionId | null {
  const last = events.at(-1);
  if (last?.kind !== 'WorkflowCompleted') return null;
  return (last.payload.continued_as ?? null) as ExecutionId | null;
}

/** The facts as the data policies let them be seen: what a worker said of its failure is somebody's data. */
function showFacts(
  { pseudonym }: ExplainDeps,
  facts: ExecutionFacts,
  { plan, state }: { readonly plan: Plan; readonly state: ExecutionState },
): ExecutionFacts {
  if (plan.shownPolicy === null) return facts;
  const nodeOf = new Map(
    state.live
      .values()
      .flatMap(({ workItemId, nodeId }) =>
        workItemId === null ? [] : [[workItemId, nodeId] as const],
      ),
  );
  const items = facts.items.entries().map(([id, place]): [typeof id, ItemPlace] => {
    if (place.is === 'queued') return [id, withoutKeys(place)];
    if (place.is !== 'dead_lettered') return [id, place];
    const node = plan.nodes.get(nodeOf.get(id) ?? '')?.dataPolicy ?? null;
    const policy = dataPolicyOf({ workflow: plan.dataPolicy, node });
    if (policy === null) return [id, place];
    return [id, { ...place, error: redact(place.error, policy, pseudonym) as string }];
  });
  return { ...facts, items: new Map(items) };
}

/** A key is text from the input without its field, so a policy hides it entirely. */
function withoutKeys({ share, quota, ...place }: QueuedPlace): QueuedPlace {
  return {
    ...place,
    ...(share !== undefined && { share: null }),
    ...(quota !== undefined && {
      quota: { ...quota, key: null, rate: quota.rate && { ...quota.rate, key: null } },
    }),
  };
}

type QueuedPlace = Extract<ItemPlace, { readonly is: 'queued' }>;
