import { badRequest } from '../../domain/errors.ts';
import type { Effect } from '../../domain/execution/effect.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { evolve } from '../../domain/execution/evolve.ts';
import {
  type ExecutionState,
  isPausedByOperator,
  type LiveVisit,
} from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import { type CommitPlan, emptyCommit, type Retry } from '../../store/commit.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { collectEffects } from '../commit/collect-effects.ts';
import { newEvent } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';

/*
 * Moves the functions of an execution that are pinned to a build to another one, or to none.
 *
 * The move is a fact, and takes effect with the next turn. An item that waits for that turn leaves the
 * queue of the old build in the same commit. If a worker claims it at this moment, it loses the lease:
 * nothing of the turn is recorded yet.
 */

export interface MoveExecution extends ExecutionRef {
  /** Null: the build of the worker that claims the next turn. */
  readonly buildId: string | null;
  /** Null: all nodes. */
  readonly nodeId: string | null;
}

export interface MovedExecution {
  readonly executionId: ExecutionId;
  readonly moved: readonly MovedVisit[];
}

export interface MovedVisit {
  readonly nodeId: string;
  readonly visit: number;
  readonly from: string;
}

type Pinned = LiveVisit & { readonly run: { readonly buildId: string } };

/** Functions that have the build already stay as they are. */
export function moveExecution(
  deps: EngineDeps,
  { tenantId, actorId }: Caller,
  { executionId, buildId, nodeId }: MoveExecution,
): Promise<MovedExecution> {
  return changeExecution<MovedExecution>(deps, {
    tenantId,
    executionId,
    propose: async (state, { row }) => {
      if (isTerminal(row.status)) throw badRequest(`execution ${executionId} is ${row.status}`);
      const visits = pinnedElsewhere(state, { buildId, nodeId });
      const moved = visits.map((one) => ({ ...placeOf(one), from: one.run.buildId }));
      const answer = { executionId: row.executionId, moved };
      if (visits.length === 0) return { commit: null, answer };
      const events = visits.map((one): ExecutionEvent => ({
        kind: 'NodePinned',
        nodeId: one.nodeId,
        payload: { visit: one.visit, build_id: buildId },
      }));
      const commit: CommitPlan = {
        ...emptyCommit(row),
        expectedSequence: row.lastSequence,
        events: events.map((event) => newEvent(event, actorId)),
        ...(await itemsMoved(deps, { state, row, events, visits })),
      };
      return { commit, answer };
    },
  });
}

function pinnedElsewhere(
  { live }: ExecutionState,
  { buildId, nodeId }: Pick<MoveExecution, 'buildId' | 'nodeId'>,
): readonly Pinned[] {
  return [...live.values()].filter(
    (visit): visit is Pinned =>
      typeof visit.run?.buildId === 'string' &&
      visit.run.buildId !== buildId &&
      (nodeId === null || visit.nodeId === nodeId),
  );
}

function placeOf({ nodeId, visit }: LiveVisit): Pick<MovedVisit, 'nodeId' | 'visit'> {
  return { nodeId, visit };
}

/** Takes the items that wait off the queues of their builds, and puts them on the others. */
async function itemsMoved(
  deps: EngineDeps,
  of: {
    readonly state: ExecutionState;
    readonly row: ExecutionRow;
    readonly events: readonly ExecutionEvent[];
    readonly visits: readonly Pinned[];
  },
): Promise<Pick<CommitPlan, 'revokesItems' | 'retries'>> {
  const { state, row, events, visits } = of;
  const { plan } = await deps.definitions.get(row.definitionId);
  const sequenced = events.map((event, index) => ({
    ...event,
    sequence: state.sequence + index + 1,
  }));
  const effects = await Promise.all(visits.map((one) => requeued(deps, row.tenantId, one)));
  const { revoked, retries } = collectEffects(effects.flat(), {
    plan,
    state: evolve({ state, events: sequenced, plan }),
    home: { leaseTo: null, priority: row.priority },
  });
  const isHeld = isPausedByOperator(state);
  return { revokesItems: [...revoked], retries: isHeld ? retries.map(held) : retries };
}

async function requeued(
  { store }: EngineDeps,
  tenantId: TenantId,
  { nodeId, visit, attempt, workItemId }: Pinned,
): Promise<readonly Effect[]> {
  if (workItemId === null) return [];
  const found = await store.work.find(workItemId, tenantId);
  if (found?.place !== 'queued' && found?.place !== 'retrying') return [];
  return [
    { do: 'revoke_work', workItemId },
    { do: 'requeue_work', nodeId, visit, attempt, workItemId },
  ];
}

/** Like an item that was released while its execution was paused; no lease has fence 0. */
function held(retry: Retry): Retry {
  return { ...retry, delayMs: 1, released: { leaseFence: 0, place: null, isHeld: true } };
}
