import { isTerminal } from '../../domain/execution/status.ts';
import type { Wake } from '../../ports/wake.ts';
import type { AwaitedPlace, CommitPlan } from '../../store/commit.ts';
import type { FlowStore, LineName } from '../../store/flow.ts';
import type { PlaceStore } from '../../store/places.ts';
import type { EngineReport } from '../report.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import { PLACES_TOPIC } from '../wake/wake-bus.ts';
import { runTopic } from '../wake/wake-for.ts';
import { admitLines, type FlowCommits } from './admit-lines.ts';
import { admitTenants } from './admit-tenants.ts';
import { createAwaitedPlaces } from './awaited-places.ts';

/**
 * Starts children that wait for a place below their tenant's limit, and executions that wait for a
 * place of their key. The rows of those that wait are authoritative, and a round that reads them starts
 * all that may begin. Hints avoid delays: a process sends one when it makes an execution wait, and when one
 * ends for whose place others are known to wait (`awaited-places.ts`). So tenants without limits, and
 * workflows in which nobody waits, cost nothing here.
 */
export interface Admission {
  /** Called after an accepted commit; null: the caller does not know the workflow. */
  note(commit: CommitPlan, workflowId: string | null): void;
  round(commits: FlowCommits): Promise<AdmissionRound>;
}

export interface AdmissionRound extends RoundResult {
  /** Executions waited when this round looked. */
  readonly isWaiting: boolean;
  /** There are more lines than one round looks at, or announces, or one crossed another change. */
  readonly isPart: boolean;
  /** Until the next token that an execution waits for; null: none waits for one alone. */
  readonly nextTokenMs: number | null;
}

export function createAdmission(deps: {
  readonly places: PlaceStore;
  readonly flow: FlowStore;
  readonly batchBytesMax: number;
  readonly wake: Wake;
  readonly report: Pick<EngineReport, 'count' | 'observe'>;
  readonly now: () => number;
}): Admission {
  const awaited = createAwaitedPlaces(deps);
  let lastLine: LineName | null = null;
  let wasCrossed = false;

  return {
    note(commit, workflowId) {
      const { tenantId, status } = commit;
      const waitsForKey =
        commit.create?.awaitsPlace !== undefined || commit.entersQueue !== undefined;
      const waitsForTenant =
        commit.tenantLine !== undefined ||
        commit.startsExecutions.some(({ waitsForPlace }) => waitsForPlace);
      if (waitsForPlace(commit.entersQueue ?? commit.create?.awaitsPlace)) {
        awaited.add({ tenantId, workflowId });
      }
      if (waitsForTenant) awaited.add({ tenantId, workflowId: null });
      const hasEnded = status !== null && isTerminal(status);
      const makesRoom = hasEnded && awaited.has({ tenantId, workflowId }, commit.endsInLine);
      if (waitsForKey || waitsForTenant || makesRoom) deps.wake.notify([PLACES_TOPIC]);
    },

    async round(commits) {
      const tenants = await deps.places.listTenants();
      const after = lastLine;
      const inFlow = await admitLines(deps.flow, deps.report, {
        commits,
        batchBytesMax: deps.batchBytesMax,
        after,
      });
      lastLine = inFlow.last;
      // Once: a line that gives nothing again is not crossed by others.
      const isCrossed = inFlow.wasCrossed && !wasCrossed;
      wasCrossed = inFlow.wasCrossed;
      awaited.see([
        ...tenants.map((tenantId) => ({ tenantId, workflowId: null, hasBegun: false })),
        ...inFlow.waiting,
      ]);
      deps.wake.notify([...inFlow.shards].map(runTopic));
      const inTenants = await admitTenants(deps, tenants);
      const { nextTokenMs } = inFlow;
      return {
        found: inFlow.found + inTenants.found,
        more: inFlow.more || inTenants.more,
        isWaiting: tenants.length > 0 || inFlow.isWaiting,
        isPart: after !== null || lastLine !== null || !inFlow.isWhole || isCrossed,
        nextTokenMs,
      };
    },
  };
}

/** The end of another execution brings no token, and ends no batch. */
function waitsForPlace(awaited: AwaitedPlace | undefined): boolean {
  return (
    awaited !== undefined &&
    awaited.placesMax !== null &&
    awaited.batch === undefined &&
    awaited.debounce === undefined
  );
}
