import type { TenantId } from '../../domain/ids.ts';
import { workflowOfLine } from '../../domain/workflow/flow/flow-key.ts';
import type { EngineReport } from '../report.ts';
import type { SeenName } from './awaited-places.ts';
import {
  type AdmittedExecution,
  type EndedDebounce,
  type FlowStore,
  type LineName,
  mayBegin,
  type SurplusExecution,
  type WaitedKey,
} from '../../store/flow.ts';

export interface FlowRound {
  readonly found: number;
  readonly more: boolean;
  readonly shards: ReadonlySet<number>;
  /** Executions waited when this round looked. */
  readonly isWaiting: boolean;
  /** Whose executions wait for places. The end of another one brings no token, and ends no batch. */
  readonly waiting: readonly SeenName[];
  /** A line that may begin gave nothing, perhaps because somebody else changed it at the same moment. */
  readonly wasCrossed: boolean;
  /** Those are all. */
  readonly isWhole: boolean;
  /** Until the next token that somebody waits for; null: nobody waits for one alone. */
  readonly nextTokenMs: number | null;
  /** Where the next round continues; null: at the first line. */
  readonly last: LineName | null;
}

/** Lines that one round looks at, and those of them that it serves; those that may begin come first. */
const LINES_MAX = 2_000;
const KEYS_MAX = 500;
/** Executions of one line that begin by one statement. */
const ADMITTED_MAX = 200;
/** Executions of one key that are cancelled in one round. */
const CANCELLED_MAX = 200;

/** Commits of executions that a look at their line asks for. */
export interface FlowCommits {
  /** Cancels an execution that is surplus, unless it ends anyway. */
  cancelSurplus(
    execution: SurplusExecution & { readonly tenantId: TenantId; readonly isDebounced: boolean },
  ): Promise<unknown>;
  /** Closes the batch of a line, if it is due. */
  closeBatch(line: LineName): Promise<LineEnd>;
}

/** How the first wait of an execution, whether or for other starts, is over. */
export type LineEnd = EndedDebounce;

/**
 * Cancels the executions that are surplus, and gives places and tokens to the executions that wait for
 * them, in the order of their starts.
 */
export async function admitLines(
  flow: FlowStore,
  report: Pick<EngineReport, 'count' | 'observe'>,
  {
    commits,
    batchBytesMax,
    after,
  }: {
    readonly commits: FlowCommits;
    readonly batchBytesMax: number;
    readonly after: LineName | null;
  },
): Promise<FlowRound> {
  const { keys, last: lastLine } = await flow.listKeys({
    limit: KEYS_MAX,
    lines: LINES_MAX,
    batchBytesMax,
    ...(after !== null && { after }),
  });
  const shards = new Set<number>();
  const waiting: SeenName[] = [];
  let found = 0;
  let more = false;
  let wasCrossed = false;
  let nextTokenMs = Infinity;
  for (const key of keys) {
    const { tenantId, placeKey } = key;
    const name = { tenantId, workflowId: workflowOfLine(placeKey) };
    if (key.hasSurplus) {
      const surplus = await flow.listSurplus({ tenantId, placeKey, limit: CANCELLED_MAX });
      await Promise.all(
        surplus.map((one) =>
          commits.cancelSurplus({ ...one, tenantId, isDebounced: key.isDebounced }),
        ),
      );
      found += surplus.length;
      more ||= surplus.length >= CANCELLED_MAX;
    } else if (!mayBegin(key)) {
      if (key.hasRoom) nextTokenMs = Math.min(nextTokenMs, key.nextTokenMs);
      else waiting.push({ ...name, hasBegun: false });
      continue;
    }
    const { admitted, hasMoved = false, ...next } = await admitLine(flow, key, commits);
    if (admitted.length > 0) waiting.push({ ...name, hasBegun: true });
    wasCrossed ||= admitted.length === 0 && !hasMoved;
    nextTokenMs = Math.min(nextTokenMs, next.nextTokenMs ?? Infinity);
    // Another batch of the line may be full.
    const mayFollow = key.isBatched && admitted.length > 0;
    more ||= admitted.length >= ADMITTED_MAX || hasMoved || mayFollow;
    const reason = reasonOf(key);
    if (admitted.length > 0) report.count('executions_admitted', admitted.length, { reason });
    for (const { shard, waitedMs } of admitted) {
      shards.add(shard);
      report.observe('execution_wait_seconds', waitedMs / 1_000, { reason });
    }
    found += admitted.length + (hasMoved ? 1 : 0);
  }
  const last = keys.at(-1);
  const isFull = found > 0 && keys.length >= KEYS_MAX && last !== undefined && mayBegin(last);
  return {
    found,
    // Lines that gave nothing are looked at again at leisure.
    more: more || isFull || (lastLine !== null && found > 0),
    // Those of this part come before the others.
    last: isFull ? after : lastLine,
    shards,
    isWaiting: keys.length > 0,
    waiting,
    wasCrossed,
    isWhole: keys.length < KEYS_MAX,
    nextTokenMs: nextTokenMs === Infinity ? null : nextTokenMs,
  };
}

function reasonOf({ isDebounced, isBatched, token }: WaitedKey): string {
  if (isBatched) return 'batch';
  if (isDebounced) return 'debounce';
  return token === null ? 'concurrency' : 'rate';
}

async function admitLine(
  flow: FlowStore,
  { tenantId, placeKey, token, isDebounced, isBatched }: WaitedKey,
  commits: FlowCommits,
): Promise<{
  readonly admitted: readonly AdmittedExecution[];
  readonly nextTokenMs: number | null;
  /** One waits in another line from here on. */
  readonly hasMoved?: boolean;
}> {
  const line = { tenantId, placeKey, limit: ADMITTED_MAX };
  if (isDebounced || isBatched) {
    const { begun, hasMoved } = isBatched
      ? await commits.closeBatch({ tenantId, placeKey })
      : await flow.endDebounce({ tenantId, placeKey });
    return { admitted: begun, nextTokenMs: null, hasMoved };
  }
  if (token === null) return { admitted: await flow.admit(line), nextTokenMs: null };
  const { admitted, nextTokenMs } = await flow.admitAtRate({ ...line, token });
  // With a token left, it lacks a place, and a hint announces that.
  return { admitted, nextTokenMs: nextTokenMs === 0 ? null : nextTokenMs };
}
