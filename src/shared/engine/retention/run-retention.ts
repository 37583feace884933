import { digestRetired, hashHistory } from '../../domain/audit/retired-executions.ts';
import type { SealableItem } from '../../domain/audit/seal.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { Ids } from '../../ports/ids.ts';
import type { DueExecution, ReplayPosition, RetentionStore } from '../../store/retention.ts';
import { restAfter, type Resting } from './rest-after.ts';
import { scanDue, type RetentionRequest } from './scan-due.ts';

/*
 * Retention removes executions that ended long ago, a batch at a time.
 *
 * A batch belongs to one tenant and is removed by one transaction, which checks again everything
 * that may have changed since the batch was selected. So after a crash each execution either exists
 * or is gone, and the next run continues: no state is kept between batches. If two run at once, one
 * finds its batch already gone, and continues too.
 *
 * Between two batches it waits as long as the last batch took, so it never uses more than half of
 * the time of one connection.
 */

export interface RetentionRun extends RetentionRequest {
  readonly actorId: string;
  /** Executions removed together, at most. */
  readonly batchMax: number;
  /** How long after the end results for replay are kept; null: as long as their execution. */
  readonly replayMs: number | null;
  /** Called before a batch is removed, of which only what is in the file then goes. */
  readonly archive?: (params: {
    readonly batch: readonly DueExecution[];
    readonly tenantId: TenantId;
    /** Nobody else's. */
    readonly name: string;
  }) => Promise<ArchivedBatch>;
  readonly onProgress?: (progress: RetentionResult) => void;
  /** Asked between two batches. */
  readonly isOver: () => boolean;
}

export interface ArchivedBatch {
  /** The name of the file. */
  readonly file: string;
  readonly executionIds: ReadonlySet<ExecutionId>;
}

export interface RetentionResult {
  readonly executions: number;
  readonly events: number;
  readonly batches: number;
  /** Changed between reading and removing: left for the next run. */
  readonly passedOver: number;
  readonly replayRecords: number;
}

export interface RetentionDeps extends Resting {
  readonly store: RetentionStore;
  readonly ids: Ids;
}

/** Limits of one batch: histories are read, hashed and deleted as a whole. */
const EVENTS_AT_A_TIME = 5_000;
const REPLAYS_AT_A_TIME = 2_000;

export async function runRetention(
  deps: RetentionDeps,
  run: RetentionRun,
): Promise<RetentionResult> {
  let result: RetentionResult = {
    executions: 0,
    events: 0,
    batches: 0,
    passedOver: 0,
    replayRecords: 0,
  };
  const report = (changes: Partial<RetentionResult>): void => {
    result = { ...result, ...changes };
    run.onProgress?.(result);
  };
  for await (const page of scanDue(deps.store, run)) {
    for (const batch of inBatches(page, run.batchMax)) {
      if (run.isOver()) return result;
      const gone = await restAfter(deps, () => retireBatch(deps, run, batch));
      report({
        executions: result.executions + gone.length,
        events: result.events + countEvents(gone),
        batches: result.batches + 1,
        passedOver: result.passedOver + batch.length - gone.length,
      });
    }
  }
  if (run.replayMs === null) return result;
  let after: ReplayPosition | null = null;
  do {
    if (run.isOver()) return result;
    const page = await forgetSome(deps, { endedMs: run.replayMs, after });
    if (page.deleted > 0) report({ replayRecords: result.replayRecords + page.deleted });
    after = page.next;
  } while (after !== null);
  return result;
}

function forgetSome(
  deps: RetentionDeps,
  from: { readonly endedMs: number; readonly after: ReplayPosition | null },
): ReturnType<RetentionStore['forgetReplays']> {
  const params = { ...from, limit: REPLAYS_AT_A_TIME };
  return restAfter(deps, () => deps.store.forgetReplays(params));
}

/** The number of removed executions. Only executions that have changed meanwhile stay. */
async function retireBatch(
  deps: RetentionDeps,
  run: RetentionRun,
  batch: readonly DueExecution[],
): Promise<readonly DueExecution[]> {
  const ids = batch.map(({ executionId }) => executionId);
  const items = await deps.store.histories(ids);
  const histories = Map.groupBy(items, ({ key }) => key);
  const whole = batch.filter(
    ({ executionId, lastSequence }) => histories.get(executionId)?.length === lastSequence,
  );
  const [first] = whole;
  if (first === undefined) return [];
  const { tenantId } = first;
  const name = deps.ids.uuid();
  const archived = (await run.archive?.({ batch: whole, tenantId, name })) ?? null;
  return retireWhole(deps, run, {
    archive: archived?.file ?? null,
    histories,
    // Another run may have removed an execution, and an import brought it back after it was missed.
    batch: whole.filter(({ executionId }) => archived?.executionIds.has(executionId) ?? true),
  });
}

async function retireWhole(
  deps: RetentionDeps,
  run: RetentionRun,
  given: {
    readonly batch: readonly DueExecution[];
    readonly histories: ReadonlyMap<string, readonly SealableItem[]>;
    readonly archive: string | null;
  },
): Promise<readonly DueExecution[]> {
  const { batch, histories, archive } = given;
  const [first] = batch;
  if (first === undefined) return [];
  const executions = batch.map(({ executionId, lastSequence }) => ({
    executionId,
    lastSequence,
    eventHashes: hashHistory(histories.get(executionId) ?? []),
  }));
  const isGone = await deps.store.retire({
    retirementId: deps.ids.uuid(),
    tenantId: first.tenantId,
    actorId: run.actorId,
    told: {
      executions: batch.length,
      events: countEvents(batch),
      digest: digestRetired(executions),
      older_than_days: run.olderThanMs === null ? null : run.olderThanMs / 86_400_000,
      archive,
    },
    executions,
  });
  if (isGone) return batch;
  if (batch.length === 1) return [];
  const half = Math.ceil(batch.length / 2);
  return [
    ...(await retireWhole(deps, run, { ...given, batch: batch.slice(0, half) })),
    ...(await retireWhole(deps, run, { ...given, batch: batch.slice(half) })),
  ];
}

function* inBatches(
  page: readonly DueExecution[],
  batchMax: number,
): Generator<readonly DueExecution[]> {
  let batch: DueExecution[] = [];
  let events = 0;
  for (const execution of page) {
    const isFull = batch.length >= batchMax || events + execution.lastSequence > EVENTS_AT_A_TIME;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      events = 0;
    }
    batch.push(execution);
    events += execution.lastSequence;
  }
  if (batch.length > 0) yield batch;
}

function countEvents(batch: readonly DueExecution[]): number {
  return batch.reduce((sum, { lastSequence }) => sum + lastSequence, 0);
}
