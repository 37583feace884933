import { hashJson } from '../../canonical-json.ts';
import type { JsonObject } from '../../json.ts';
import { mintIdempotencyKey } from '../../work/idempotency-key.ts';
import type { Entry, PlanNode } from '../../workflow/plan/plan.ts';
import type { NodeResumedPayload, NodeScheduledPayload } from '../event-payloads.ts';
import { approvalQuestion, judgeWork, violationEvent, violationText } from '../judge-work.ts';
import { type LiveVisit, visitKey } from '../state.ts';
import { emit, planNode, type Turn } from '../turn.ts';
import { takeOverJournal } from './answer-functions.ts';
import { failVisit } from './fail-visit.ts';
import { moveFunctionTime, stopsWhileSuspended } from './function-clock.ts';
import { askApproval, holdUp } from './hold-up.ts';
import { judgeBudget } from './judge-budget.ts';
import { type NewVisit, scheduleVisit } from './schedule-visit.ts';
import { startTimer } from './start-timer.ts';
import { entryOf } from './visit-entry.ts';

type WorkEntry = Extract<Entry, { do: 'work' }>;

/** Puts the work of a new visit on its queue, if policies, people and budgets allow it. */
export function enterWork(entered: NewVisit, entry: WorkEntry): void {
  const { turn, node, visit } = entered;
  const verdict = judgeWork({ plan: turn.plan, node, tenantPolicy: turn.tenantPolicy });
  if (verdict.is === 'blocked') {
    scheduleVisit(entered, 'none');
    emit(turn, violationEvent(node.id, visit, verdict));
    const error = violationText(verdict);
    const errorClass = 'policy_violation';
    return failVisit(turn, { nodeId: node.id, visit, attempt: 0, error, errorClass });
  }
  let approval: Approval | undefined;
  if (verdict.is === 'approval') {
    const question = approvalQuestion(verdict.name, entry.input);
    const found = findApproval(entered, question.shown);
    if (found === null) {
      scheduleVisit(entered, 'approval');
      return askApproval(turn, { node, visit, question });
    }
    approval = found;
  }
  const held = judgeBudget(turn);
  if (held === null) {
    const work = createWork(turn, { node, visit, attempt: 0, entry });
    scheduleVisit(entered, 'work', approval === undefined ? work : { ...work, ...approval });
    return beginFunction(turn, node, visit);
  }
  scheduleVisit(entered, 'none', approval);
  holdUp(turn, { node, visit, attempt: 0, held });
}

/** The time of a function runs on while it waits, and a retry takes over its journal. */
function beginFunction(turn: Turn, node: PlanNode, visit: number): void {
  if (turn.draft.live.get(visitKey(node.id, visit))?.run === null) return;
  takeOverJournal(turn, node.id, visit);
  const { nodeTimeoutMs: delayMs } = node;
  if (delayMs === null) return;
  const about = { purpose: 'function_timeout', nodeId: node.id, visit } as const;
  const more = stopsWhileSuspended(node) ? ({ count_suspended: false } as const) : {};
  startTimer(turn, { about, when: { delayMs }, more });
}

type Approval = Pick<NodeScheduledPayload, 'granted_hash'>;

/** An approval of exactly this call, given before the visit began; null: a person is asked. */
function findApproval(
  { turn: { draft }, node, visit }: NewVisit,
  shown: JsonObject,
): Approval | null {
  const hash = hashJson(shown);
  if (draft.carriedApprovals[visitKey(node.id, visit)]?.includes(hash) === true) return {};
  return draft.grantedCalls.includes(hash) ? { granted_hash: hash } : null;
}

/** Lets the work of a parked visit continue: a new item, the same attempt under the same key. */
export function resumeWork(
  turn: Turn,
  live: LiveVisit,
  why: Pick<
    NodeResumedPayload,
    'event_sequence' | 'payload' | 'approved' | 'budget_account' | 'state_patch'
  >,
): void {
  const { visit, attempt } = live;
  const node = planNode(turn, live.nodeId);
  const held = why.budget_account === undefined ? judgeBudget(turn) : null;
  if (held !== null) return holdUp(turn, { node, visit, attempt, held });
  const entry = entryOf(turn, node, live);
  if (entry.do !== 'work') throw new Error(`${live.nodeId} has no work to continue`);
  const { work_item_id, queue, idempotency_key } = createWork(turn, {
    node,
    visit,
    attempt,
    entry,
  });
  emit(turn, {
    kind: 'NodeResumed',
    nodeId: node.id,
    payload: { visit, work_item_id, queue, idempotency_key, ...why },
  });
  if (live.queue === null) beginFunction(turn, node, visit);
  else moveFunctionTime(turn, live, 'release_timer');
}

/** The fields of the visit's event that describe its new item. */
type CreatedWork = Required<
  Pick<NodeScheduledPayload, 'work_item_id' | 'queue' | 'idempotency_key'>
> &
  Pick<NodeScheduledPayload, 'queue_name'>;

function createWork(
  turn: Turn,
  of: {
    readonly node: PlanNode;
    readonly visit: number;
    readonly attempt: number;
    readonly entry: WorkEntry;
  },
): CreatedWork {
  const { node, visit, attempt, entry } = of;
  const workItemId = turn.newWorkItemId();
  const { executionId: own, keysOf } = turn.draft;
  // A retry makes the same external call, unless the work under that key has ended.
  const executionId = node.kind.freshKeyOnRetry === true ? own : (keysOf ?? own);
  const idempotencyKey = mintIdempotencyKey({
    executionId,
    nodeId: node.id,
    visit,
    input: entry.input,
  });
  turn.effects.push({
    do: 'create_work',
    nodeId: node.id,
    visit,
    attempt,
    workItemId,
    queue: entry.queue,
    idempotencyKey,
    input: entry.input,
    payload: entry.payload,
  });
  const queueName = node.kind.queueName?.(node.spec) ?? null;
  return {
    work_item_id: workItemId,
    queue: entry.queue,
    ...(queueName !== null && { queue_name: queueName }),
    idempotency_key: idempotencyKey,
  };
}
