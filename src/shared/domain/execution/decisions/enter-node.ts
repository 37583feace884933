import { hashJson } from '../../canonical-json.ts';
import type { HeldBudget } from '../../budget/budget.ts';
import { mintIdempotencyKey } from '../../work/idempotency-key.ts';
import type { JsonObject } from '../../json.ts';
import type {
  EnterContext,
  Entry,
  Plan,
  PlanNode,
  RuleViolation,
} from '../../workflow/plan/plan.ts';
import { type TimerAbout, timerName } from '../effect.ts';
import type {
  CarriedMapPayload,
  NodeResumedPayload,
  NodeScheduledPayload,
  VisitPhase,
} from '../event.ts';
import { outputsFor } from '../fold/fold-schedule.ts';
import { approvalQuestion, judgeWork, violationEvent, violationText } from '../judge-work.ts';
import { scopeOf } from '../route.ts';
import { type ExecutionState, type LiveVisit, visitKey, type VisitScope } from '../state.ts';
import { emit, planNode, type Turn } from '../turn.ts';
import { failExecution } from './end-execution.ts';
import { budgetQuestion, budgetText, judgeBudget, tellExceeded } from './judge-budget.ts';

type MapEntry = Extract<Entry, { do: 'map' }>;
type Item = NonNullable<EnterContext['item']>;

/** What entering a node looks at. */
export interface Seen {
  readonly plan: Plan;
  readonly draft: ExecutionState;
}

/** Enters a node whose tokens are complete: a new visit. */
export function enterNode(turn: Turn, node: PlanNode): void {
  const { draft } = turn;
  const output = draft.arrivals.findLast((arrival) => arrival.to === node.id)?.output ?? null;
  const arrivals = outputsFor(draft, node.id);
  const scope: VisitScope = { data: draft.data, output };
  const visit = draft.nextVisit.get(node.id) ?? 0;
  const entry = node.kind.enter(
    node.spec,
    contextOf(turn, { node, visit, scope, arrivals, item: null }),
  );
  carryOut(turn, node, visit, entry, {
    from: [...new Set(arrivals.map((arrival) => arrival.nodeId))],
  });
}

/** Enters the body of a `map` for one item: a visit whose result goes to the map. */
export function enterItem(turn: Turn, map: LiveVisit, entry: MapEntry, index: number): void {
  const node = turn.plan.nodes.get(entry.body);
  if (node === undefined) throw new Error(`${map.nodeId} has no body ${entry.body}`);
  const item: Item = { key: entry.itemKey, value: entry.items[index] ?? null };
  const scope: VisitScope = { data: turn.draft.data, output: map.scope.output };
  const visit = oldVisitOf(map, node, index) ?? turn.draft.nextVisit.get(node.id) ?? 0;
  const context = contextOf(turn, { node, visit, scope, arrivals: [], item });
  carryOut(turn, node, visit, node.kind.enter(node.spec, context), {
    from: [],
    map: { node_id: map.nodeId, visit: map.visit, index },
  });
}

/** The visit of an item that was not done before the retry: its call keeps its key. */
function oldVisitOf({ map }: LiveVisit, body: PlanNode, index: number): number | undefined {
  const { carriedVisits = null } = map ?? {};
  return carriedVisits?.body === body.id ? carriedVisits.byIndex[index] : undefined;
}

/**
 * What entering a live visit's node gave, worked out again from the visit's pinned scope: the same
 * answer as at the first time. Kept beside the scope, which lives exactly as long as the visit.
 */
export function entryOf(turn: Seen, node: PlanNode, visit: LiveVisit): Entry {
  const kept = entries.get(visit.scope);
  if (kept !== undefined) return kept;
  const entry = node.kind.enter(node.spec, contextOfVisit(turn, node, visit));
  entries.set(visit.scope, entry);
  return entry;
}

/** What a live visit was entered with. */
export function contextOfVisit(turn: Seen, node: PlanNode, visit: LiveVisit): EnterContext {
  return contextOf(turn, {
    node,
    visit: visit.visit,
    scope: visit.scope,
    arrivals: visit.scope.arrivals ?? [],
    item: itemOf(turn, visit),
  });
}

const entries = new WeakMap<VisitScope, Entry>();

function itemOf(turn: Seen, visit: LiveVisit): Item | null {
  if (visit.item === null) return null;
  const map = turn.draft.live.get(`${visit.item.nodeId}#${visit.item.visit}`);
  const node = map && turn.plan.nodes.get(map.nodeId);
  const entry = map && node && entryOf(turn, node, map);
  if (entry?.do !== 'map') throw new Error(`${visit.nodeId} is an item of no live map`);
  return { key: entry.itemKey, value: entry.items[visit.item.index] ?? null };
}

function contextOf(
  turn: Seen,
  of: {
    readonly node: PlanNode;
    readonly visit: number;
    readonly scope: VisitScope;
    readonly arrivals: EnterContext['arrivals'];
    readonly item: Item | null;
  },
): EnterContext {
  const { draft } = turn;
  const whole = scopeOf(draft, of.scope.output);
  const input: JsonObject =
    of.item === null ? draft.input : { ...draft.input, [of.item.key]: of.item.value };
  return {
    node: of.node,
    executionId: draft.executionId,
    workflowId: draft.workflowId,
    workflowVersion: draft.workflowVersion,
    visit: of.visit,
    scope: { ...whole, state: of.scope.data, input },
    arrivals: of.arrivals,
    item: of.item,
  };
}

interface Origin {
  readonly from: readonly string[];
  readonly map?: NonNullable<NodeScheduledPayload['map']>;
}

function carryOut(turn: Turn, node: PlanNode, visit: number, entry: Entry, origin: Origin): void {
  const schedule = (phase: VisitPhase, more: Partial<NodeScheduledPayload> = {}): void => {
    emit(turn, {
      kind: 'NodeScheduled',
      nodeId: node.id,
      payload: {
        visit,
        node_kind: node.kind.type,
        phase,
        ...origin,
        ...(node.outputKey !== null && { output_key: node.outputKey }),
        ...more,
      },
    });
  };
  switch (entry.do) {
    case 'complete':
      schedule('none');
      tellViolations(turn, node.id, visit, entry.violations);
      return emit(turn, {
        kind: 'NodeCompleted',
        nodeId: node.id,
        payload: {
          visit,
          output: entry.output,
          ...(entry.statePatch !== undefined && { state_patch: entry.statePatch }),
          ...(entry.targets !== undefined && { targets: entry.targets }),
        },
      });
    case 'work':
      return enterWork(turn, node, visit, entry, schedule);
    case 'wait':
      return park(turn, node, visit, entry, schedule);
    case 'approval': {
      schedule('approval');
      const { description, timeoutMs } = entry;
      emit(turn, {
        kind: 'ApprovalRequested',
        nodeId: node.id,
        payload: { visit, description, timeout_ms: timeoutMs },
      });
      if (timeoutMs === null) return;
      const about = { purpose: 'approval_timeout', nodeId: node.id, visit } as const;
      return startTimer(turn, about, { delayMs: timeoutMs });
    }
    case 'map':
      return schedule('map', {
        item_count: entry.items.length,
        ...carriedItems(turn.draft.carriedMaps[node.id], entry),
      });
    case 'end':
      schedule('none');
      emit(turn, {
        kind: 'NodeCompleted',
        nodeId: node.id,
        payload: { visit, output: null, targets: [] },
      });
      return failExecution(turn, { nodeId: node.id, ...entry });
    case 'fail':
      schedule('none');
      tellViolations(turn, node.id, visit, entry.violations);
      return failVisit(turn, node.id, { visit, attempt: 0 }, entry.error, entry.errorClass);
  }
}

function tellViolations(
  turn: Turn,
  nodeId: string,
  visit: number,
  violations: readonly RuleViolation[] = [],
): void {
  for (const { name, message } of violations) {
    const payload = { visit, name, rule: 'rule', message } as const;
    emit(turn, { kind: 'PolicyViolation', nodeId, payload });
  }
}

function failVisit(
  turn: Turn,
  nodeId: string,
  at: { readonly visit: number; readonly attempt: number },
  error: string,
  errorClass: string,
): void {
  emit(turn, {
    kind: 'NodeFailed',
    nodeId,
    payload: { ...at, error, error_class: errorClass, retryable: false },
  });
}

/** Of the items that were done before the retry those that are still the same. */
function carriedItems(
  carried: CarriedMapPayload | undefined,
  entry: MapEntry,
): { readonly carried_items?: readonly number[] } {
  if (carried === undefined || carried.body !== entry.body) return {};
  const same = carried.done.filter(({ index, item_hash: hash }) => {
    const item = entry.items[index];
    return item !== undefined && hashJson(item) === hash;
  });
  return same.length === 0 ? {} : { carried_items: same.map(({ index }) => index) };
}

type Schedule = (phase: VisitPhase, more?: Partial<NodeScheduledPayload>) => void;

function enterWork(
  turn: Turn,
  node: PlanNode,
  visit: number,
  entry: WorkEntry,
  schedule: Schedule,
): void {
  const verdict = judgeWork({ plan: turn.plan, node, tenantPolicy: turn.tenantPolicy });
  if (verdict.is === 'blocked') {
    schedule('none');
    emit(turn, violationEvent(node.id, visit, verdict));
    const error = violationText(verdict);
    return failVisit(turn, node.id, { visit, attempt: 0 }, error, 'policy_violation');
  }
  let begin = schedule;
  if (verdict.is === 'approval') {
    const question = approvalQuestion(verdict.name, entry.input);
    const approval = findApproval(turn, { node, visit, shown: question.shown });
    if (approval === null) {
      schedule('approval');
      return askApproval(turn, node, visit, question);
    }
    begin = (phase, more) => schedule(phase, { ...more, ...approval });
  }
  const held = judgeBudget(turn);
  if (held === null) {
    return createWork(turn, node, { visit, attempt: 0, entry, schedule: begin });
  }
  begin('none');
  holdUp(turn, node, { visit, attempt: 0 }, held);
}

/** An approval of this very call that was given before the visit began; null: a person is asked. */
function findApproval(
  { draft }: Turn,
  {
    node,
    visit,
    shown,
  }: { readonly node: PlanNode; readonly visit: number; readonly shown: JsonObject },
): { readonly granted_hash?: string } | null {
  const hash = hashJson(shown);
  if (draft.carriedApprovals[visitKey(node.id, visit)]?.includes(hash) === true) return {};
  return draft.grantedCalls.includes(hash) ? { granted_hash: hash } : null;
}

/** Asks a person; what is shown is what happens after a yes, and the hash says so. */
export function askApproval(
  turn: Turn,
  node: PlanNode,
  visit: number,
  question: { readonly description: string; readonly shown: JsonObject },
): void {
  const { description, shown } = question;
  const timeoutMs = node.approvalTimeoutMs;
  emit(turn, {
    kind: 'ApprovalRequested',
    nodeId: node.id,
    payload: {
      visit,
      description,
      timeout_ms: timeoutMs,
      shown,
      shown_hash: hashJson(shown),
    },
  });
  if (timeoutMs === null) return;
  startTimer(turn, { purpose: 'approval_timeout', nodeId: node.id, visit }, { delayMs: timeoutMs });
}

/** Keeps a live visit from working on a budget that is used up: it fails, or a person is asked. */
export function holdUp(
  turn: Turn,
  node: PlanNode,
  at: { readonly visit: number; readonly attempt: number },
  held: HeldBudget,
): void {
  const { visit, attempt } = at;
  tellExceeded(turn, { nodeId: node.id, visit }, held);
  if (held.budget.onExceeded === 'pause')
    return askApproval(turn, node, visit, budgetQuestion(held));
  failVisit(turn, node.id, { visit, attempt }, budgetText(held), 'budget_exceeded');
}

/** Lets the work of a parked visit go on: a new item, the same attempt under the same key. */
export function resumeWork(
  turn: Turn,
  visit: LiveVisit,
  why: Pick<
    NodeResumedPayload,
    'event_sequence' | 'payload' | 'approved' | 'budget_account' | 'state_patch'
  >,
): void {
  const node = planNode(turn, visit.nodeId);
  const held = why.budget_account === undefined ? judgeBudget(turn) : null;
  if (held !== null) return holdUp(turn, node, visit, held);
  const entry = entryOf(turn, node, visit);
  if (entry.do !== 'work') throw new Error(`${visit.nodeId} has no work to go on with`);
  createWork(turn, node, {
    visit: visit.visit,
    attempt: visit.attempt,
    entry,
    schedule: (_phase, { work_item_id = '', queue = '', idempotency_key = '' } = {}) =>
      emit(turn, {
        kind: 'NodeResumed',
        nodeId: node.id,
        payload: { visit: visit.visit, work_item_id, queue, idempotency_key, ...why },
      }),
  });
}

type WorkEntry = Extract<Entry, { do: 'work' }>;

function createWork(
  turn: Turn,
  node: PlanNode,
  of: {
    readonly visit: number;
    readonly attempt: number;
    readonly entry: WorkEntry;
    readonly schedule: Schedule;
  },
): void {
  const { visit, attempt, entry, schedule } = of;
  const workItemId = turn.newWorkItemId();
  const { executionId: own, keysOf } = turn.draft;
  // What is tried again is the same call to the outside, unless it is other work by now.
  const executionId = node.kind.freshKeyOnRetry === true ? own : (keysOf ?? own);
  const idempotencyKey = mintIdempotencyKey({
    executionId,
    nodeId: node.id,
    visit,
    input: entry.input,
  });
  const queueName = node.kind.queueName?.(node.spec) ?? null;
  schedule('work', {
    work_item_id: workItemId,
    queue: entry.queue,
    ...(queueName !== null && { queue_name: queueName }),
    idempotency_key: idempotencyKey,
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
}

function park(
  turn: Turn,
  node: PlanNode,
  visit: number,
  entry: Extract<Entry, { do: 'wait' }>,
  schedule: Schedule,
): void {
  const { correlationKey, timer } = entry;
  const phase = correlationKey === null ? 'timer' : timer === null ? 'event' : 'either';
  schedule(phase, correlationKey === null ? {} : { correlation_key: correlationKey });
  if (correlationKey !== null) {
    emit(turn, {
      kind: 'ExternalEventWaiting',
      nodeId: node.id,
      payload: { visit, correlation_key: correlationKey },
    });
  }
  if (timer !== null) startTimer(turn, { purpose: 'wait', nodeId: node.id, visit }, timer);
}

function startTimer(
  turn: Turn,
  about: TimerAbout & { readonly visit: number },
  when: { readonly delayMs: number } | { readonly until: string },
): void {
  const { purpose, nodeId, visit } = about;
  emit(turn, {
    kind: 'TimerStarted',
    nodeId,
    payload: {
      purpose,
      visit,
      ...('delayMs' in when ? { delay_ms: when.delayMs } : { until: when.until }),
    },
  });
  turn.effects.push({ do: 'start_timer', name: timerName(about), when, about });
}
