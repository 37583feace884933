import { beginsAt } from '../../domain/execution/begins-at.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { LineName } from '../../store/flow.ts';
import { type ExecutionRow, StoreUnavailableError } from '../../store/store.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/new-event.ts';
import type { EngineDeps } from '../deps.ts';
import { commitOfCancel } from '../executions/cancel-execution.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import type { LineEnd } from '../admission/admit-lines.ts';
import { flowRulesOf } from './flow-rules.ts';
import { neededPlaceOf, queued } from './needed-place.ts';
import { rulesInForce } from './rules-in-force.ts';

/*
 * Closes the batch of a line. The oldest execution of the batch carries the inputs of all, and begins, or
 * waits in its next queue; the others end as cancelled. All of that is one transaction, on the condition
 * that none of them has moved since it was read. So an execution that is cancelled, or in a batch that another
 * process closes, refuses the whole: the next look finds the batch without it. A process that dies before
 * leaves the waits as they are, with the time at which the batch is due.
 */

interface Member {
  readonly row: ExecutionRow;
  /** ISO instant: its start, or its `start_after`. */
  readonly since: string;
  readonly state: ExecutionState;
}

const NOTHING: LineEnd = { begun: [], hasMoved: false };
/** Executions that are read at a time. */
const READ_AT_ONCE = 50;

export async function closeBatch(deps: EngineDeps, line: LineName): Promise<LineEnd> {
  try {
    const bytesMax = deps.settings.inputBytesMax;
    const ids = await deps.store.flow.findBatch({ ...line, bytesMax });
    const members = await readMembers(deps, ids);
    const [leader] = members;
    return leader === undefined ? NOTHING : await close(deps, { leader, members });
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    deps.report.trouble('closing a batch failed', error, { tenant_id: line.tenantId });
    return NOTHING;
  }
}

/** Empty: one of them waits no longer. */
async function readMembers(
  deps: EngineDeps,
  ids: readonly Member['row']['executionId'][],
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const piece = ids.slice(from, from + READ_AT_ONCE);
    const loaded = await Promise.all(piece.map((id) => deps.store.executions.load(id, null)));
    for (const one of loaded) {
      if (one === null || isTerminal(one.row.status)) return [];
      const state = foldLoaded(one, null);
      if (state.isBatch) return [];
      members.push({ row: one.row, state, since: beginsAt(one.events) ?? one.row.createdAt });
    }
  }
  return members;
}

async function close(
  deps: EngineDeps,
  { leader, members }: { readonly leader: Member; readonly members: readonly Member[] },
): Promise<LineEnd> {
  const { row } = leader;
  const { tenantId, executionId } = row;
  const closed: Extract<ExecutionEvent, { kind: 'BatchClosed' }> = {
    kind: 'BatchClosed',
    nodeId: null,
    payload: {
      execution_ids: members.map((member) => member.row.executionId),
      input: { items: members.map(({ state }) => state.input) },
    },
  };
  const compiled = await deps.definitions.get(row.definitionId);
  const { input } = closed.payload;
  const own = flowRulesOf(compiled, leader.state.startRules);
  const rules = await rulesInForce(deps, { tenantId, rules: own });
  const next = neededPlaceOf(rules, { input, isBatch: true, tenantId });
  const event = newEvent(closed, SCHEDULER_ACTOR);
  const { artifacts } = deps.store;
  await holdReferences(artifacts, { tenantId, json: event.payload, values: [input], what: null });
  const shard = shardOf(executionId);
  const begins: CommitPlan = {
    ...emptyCommit(row),
    expectedSequence: row.lastSequence,
    events: [event],
    ...(next === null
      ? { leavesLine: true, runnable: 'mark' }
      : { entersQueue: { ...queued(next), shard } }),
  };
  const reason = `batch: its input is in the batch of ${executionId}`;
  const commits = [begins];
  for (const other of members.slice(1)) {
    const by = { actorId: SCHEDULER_ACTOR, reason, waits: true } as const;
    const commit = await commitOfCancel(deps, other, by);
    if (commit === null) return NOTHING;
    commits.push(commit);
  }
  const verdicts = await deps.committer.commitTogether(commits);
  let waitedMs = 0;
  for (const [index, verdict] of verdicts.entries()) {
    const [commit, member] = [commits[index], members[index]];
    if (!verdict.accepted || commit === undefined || member === undefined) return NOTHING;
    const committedAt = verdict.createdAt;
    afterCommit(deps, { commit, row: member.row, committedAt });
    if (index === 0) waitedMs = Date.parse(committedAt) - Date.parse(leader.since);
  }
  deps.report.count('executions_gathered', members.length - 1);
  return next === null
    ? { begun: [{ executionId, shard, waitedMs }], hasMoved: false }
    : { begun: [], hasMoved: true };
}
