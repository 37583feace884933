import test from 'ava';
import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import { cancellationEvents } from '../../../../src/shared/domain/execution/finalizers.ts';
import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';
import type { LiveVisit } from '../../../../src/shared/domain/execution/state.ts';
import { decodeState, encodeState } from '../../../../src/shared/domain/execution/state-codec.ts';
import type { Plan } from '../../../../src/shared/domain/workflow/plan/plan.ts';
import { explain } from '../../../../src/shared/domain/execution/explain/explain.ts';
import { factsAround } from '../../../support/execution-facts.ts';
import { History, planOf } from '../../../support/history.ts';

const INPUT: JsonObject = { n: 0, list: [1, 2, 3] };

/** Any graph of a few nodes: splits, choices, loops, joins, maps, waits, failures, finalizers. */
const graph = fc
  .record({
    kinds: fc.array(
      fc.constantFrom(
        'work',
        'pass',
        'parallel',
        'condition',
        'approval',
        'wait',
        'event',
        'either',
        'join',
        'map',
        'collecting_map',
        'map_of_pass',
        'subgraph',
        'subgraph_again',
        'map_of_children',
        'eval_back',
        'eval_branch',
        'policy_branch',
        'policy_warn',
        'asked_tool',
        'blocked_tool',
        'agent',
        'limit',
        'fail',
      ),
      { minLength: 2, maxLength: 9 },
    ),
    edges: fc.array(
      fc.record({
        from: fc.nat(8),
        to: fc.nat(8),
        condition: fc.constantFrom(null, 'state.n < 5', 'state.odd', 'output.ok'),
        on: fc.constantFrom('success', 'success', 'success', 'failure'),
      }),
      { maxLength: 18 },
    ),
    finalizers: fc.array(fc.constantFrom('success', 'failure', 'always'), { maxLength: 2 }),
  })
  .map(({ kinds, edges, finalizers }): JsonObject => {
    const count = kinds.length;
    const id = (index: number): string => `n${index % count}`;
    const targets = (index: number): string[] => [
      ...new Set(edges.filter(({ from }) => from % count === index).map(({ to }) => id(to))),
    ];
    const sources = (index: number): string[] =>
      edges.filter(({ to }) => to % count === index).map(({ from }) => id(from));
    const kindOf = (kind: string, index: number): JsonValue => {
      const out = targets(index);
      switch (kind) {
        case 'work':
          return { type: 'python_fn', module: 'm', function: 'f' };
        case 'parallel':
          return out.length === 0 ? 'pass' : { type: 'parallel', branches: out };
        case 'condition':
          return {
            type: 'condition',
            branches: out.map((target, at) => ({
              condition: at === out.length - 1 ? null : 'state.odd',
              target,
            })),
          };
        case 'eval_back':
        case 'eval_branch':
          return evaluating(kind, out, sources(index));
        case 'policy_branch':
        case 'policy_warn': {
          const [target] = out;
          const branches = kind === 'policy_branch' && target !== undefined;
          const rules = [{ name: 'even', condition: '!has(state.odd) || !state.odd' }];
          return {
            type: 'policy',
            rules,
            on_violation: branches ? { branch: { target } } : 'warn',
          };
        }
        case 'asked_tool':
        case 'blocked_tool':
          return { type: 'tool', tool_ref: kind };
        case 'agent':
          return { type: 'agent', agent_ref: 'a' };
        case 'limit':
          return 'limit_exceeded';
        case 'fail':
          return { type: 'fail', message: 'the author ends it' };
        case 'approval':
          return { type: 'human_approval', timeout_secs: 10 };
        case 'wait':
          return { type: 'wait', condition: 'timer', timeout_secs: 10 };
        case 'event':
          return { type: 'wait', condition: 'external_event', correlation_key: 'k' };
        case 'either':
          return { type: 'wait', condition: 'either', correlation_key: 'k', timeout_secs: 10 };
        case 'join':
          return 'join';
        case 'map':
        case 'collecting_map':
          return {
            type: 'map',
            items: 'state.list',
            node: `${id(index)}_item`,
            max_concurrency: 2,
            on_item_failure: kind === 'map' ? 'fail' : 'collect',
          };
        case 'map_of_pass':
          return { type: 'map', items: 'state.list', node: `${id(index)}_item` };
        case 'map_of_children':
          return { type: 'map', items: 'state.list', workflow_ref: 'other', max_concurrency: 2 };
        case 'subgraph':
          return { type: 'subgraph', workflow_ref: 'other', on_child_failure: 'complete' };
        case 'subgraph_again':
          return {
            type: 'subgraph',
            workflow_ref: 'other',
            retry_policy: { max_attempts: 2, initial_delay: 0 },
          };
        default:
          return 'pass';
      }
    };
    return {
      start_node: 'n0',
      tools: {
        clean: { kind: 'python', reference: 'm:clean' },
        asked_tool: { kind: 'http', reference: 'https://tool.example' },
        blocked_tool: { kind: 'http', reference: 'https://tool.example' },
      },
      policy: { require_approval_for: ['asked_tool'], blocked_tools: ['blocked_tool'] },
      nodes: Object.fromEntries([
        ...kinds.flatMap((kind, index) => [
          [id(index), { kind: kindOf(kind, index), output_key: `of_${id(index)}` }],
          ...(kind.includes('map') && kind !== 'map_of_children'
            ? [[`${id(index)}_item`, { kind: bodyOf(kind) }]]
            : []),
        ]),
        ...finalizers.map((run_on, index) => [
          `final${index}`,
          { kind: { type: 'finalizer', tool_ref: 'clean', run_on } },
        ]),
      ]),
      edges: edges.map(({ from, to, condition, on }) => ({
        from: id(from),
        to: id(to),
        condition,
        on,
      })),
    };
  });

/** For an odd number, goes back to a predecessor, or on to a successor. */
function evaluating(kind: string, out: readonly string[], from: readonly string[]): JsonObject {
  const scorers = [{ type: 'assertion', check: '!has(state.odd) || !state.odd' }];
  const [target] = kind === 'eval_back' ? from : out;
  const way = kind === 'eval_back' ? 'retry' : 'branch';
  const on_fail = target === undefined ? 'warn' : { [way]: { target } };
  return { type: 'eval', scorers, on_fail, ...(way === 'retry' && { max_retries: 3 }) };
}

function bodyOf(kind: string): JsonObject {
  return kind === 'map_of_pass'
    ? { type: 'pass', output: { n: 'input.item' } }
    : { type: 'python_fn', module: 'm', function: 'f' };
}

/** Possible facts from outside about one visit, or about several before the next decision. */
function factsOf(history: History, pick: number): ExecutionEvent[] {
  const live = [...history.state.live.values()].filter((visit) => visit.map === null);
  if (live.length === 0) throw new Error(`stuck: ${history.story().join(', ')}`);
  const cancel = pick % 41 === 0 ? cancellationEvents(history.plan, history.state) : [];
  if (cancel.length > 0) return [...cancel];
  const first = pick % live.length;
  const several = pick % 5 === 0 ? live.slice(first, first + 3) : live.slice(first, first + 1);
  return several.flatMap((visit, index) => factsAbout(history, visit, pick + index));
}

function factsAbout(history: History, visit: LiveVisit, pick: number): ExecutionEvent[] {
  const { nodeId } = visit;
  const about = { nodeId, visit: visit.visit } as const;
  const n = Number(history.state.data['n'] ?? 0) + 1;
  const list = Array.from({ length: 1 + (pick % 4) }, (_, index) => index);
  switch (visit.phase) {
    case 'child':
      return [childEnd(visit, pick)];
    case 'work':
      if (visit.nodeKind === 'subgraph' && pick % 7 !== 0) return [childStart(visit, pick)];
      if (visit.nodeKind === 'agent' && pick % 3 === 0) return [parked(visit, pick)];
      return [
        pick % 7 === 0
          ? failed(visit, pick % 2 === 0 && visit.attempt < 2)
          : {
              kind: 'NodeCompleted',
              nodeId,
              payload: {
                visit: visit.visit,
                output: { ok: pick % 3 === 0 },
                state_patch: { n, odd: n % 2 === 1, list },
              },
            },
      ];
    case 'approval':
      if (pick % 6 === 0) return [timerFired({ ...about, purpose: 'approval_timeout' })];
      return [
        {
          kind: 'ApprovalReceived',
          nodeId,
          payload: {
            visit: visit.visit,
            decision: pick % 4 === 0 ? 'rejected' : 'approved',
            user_id: null,
            comment: null,
            state_patch: { n },
          },
        },
        ...(pick % 3 === 0 ? [timerFired({ ...about, purpose: 'approval_timeout' })] : []),
      ];
    case 'timer':
      return [timerFired({ ...about, purpose: 'wait' })];
    case 'event':
      return [EVENT];
    case 'either':
      return [
        ...(pick % 2 === 0 ? [EVENT] : []),
        ...(pick % 3 !== 0 || pick % 2 !== 0 ? [timerFired({ ...about, purpose: 'wait' })] : []),
      ];
    default:
      throw new Error(`unexpected phase ${visit.phase}`);
  }
}

function parked(visit: LiveVisit, pick: number): ExecutionEvent {
  const { nodeId, attempt, workItemId } = visit;
  const payload = { visit: visit.visit, attempt, work_item_id: workItemId ?? '' };
  const approval = { description: 'call a', shown: { agent_id: 'a', pick } };
  const what = pick % 2 === 0 ? { correlation_key: 'k' } : { approval };
  return { kind: 'NodeParked', nodeId, payload: { ...payload, ...what } };
}

function childStart(visit: LiveVisit, pick: number): ExecutionEvent {
  return {
    kind: 'ChildWorkflowStarted',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      attempt: visit.attempt,
      work_item_id: visit.workItemId ?? '',
      child_execution_id: `exec_${pick}`,
      workflow_id: 'other',
      workflow_version: '1.0.0',
    },
  };
}

function childEnd({ nodeId, visit, childId }: LiveVisit, pick: number): ExecutionEvent {
  const of = { visit, child_execution_id: childId ?? '' };
  if (pick % 3 > 0) {
    const payload = { ...of, output: { ok: pick % 2 === 0 } };
    return { kind: 'ChildWorkflowCompleted', nodeId, payload };
  }
  const status = pick % 2 === 0 ? 'failed' : 'cancelled';
  const payload = { ...of, status, error: 'it broke', error_class: `child_${status}` } as const;
  return { kind: 'ChildWorkflowFailed', nodeId, payload };
}

const EVENT: ExecutionEvent = {
  kind: 'ExternalEventReceived',
  nodeId: null,
  payload: { correlation_key: 'k', payload: { ok: true } },
};

function failed(visit: LiveVisit, retryable: boolean): ExecutionEvent {
  return {
    kind: 'NodeFailed',
    nodeId: visit.nodeId,
    payload: {
      visit: visit.visit,
      attempt: visit.attempt,
      error: 'broke',
      error_class: 'error',
      retryable,
    },
  };
}

function timerFired(of: {
  readonly nodeId: string;
  readonly visit: number;
  readonly purpose: 'wait' | 'approval_timeout';
}): ExecutionEvent {
  const { nodeId, visit, purpose } = of;
  return { kind: 'TimerFired', nodeId, payload: { purpose, visit } };
}

/** Null for a refused graph, and for one that never waits for an answer. */
function planFor(ir: JsonObject): Plan | null {
  // A loop of pure nodes whose condition never changes does not end.
  if (purelyLooping(ir)) return null;
  try {
    return planOf(ir);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('[{"pointer"')) return null;
    throw error;
  }
}

/** The first line of a history that breaks a rule of all histories, or null. */
function findBreach(history: History): string | null {
  const open = new Set<string>();
  const visits = new Map<string, number>();
  const skipped = new Set<string>();
  let isEnding = false;
  for (const [at, { kind, nodeId, payload }] of history.events.entries()) {
    const line = `${at + 1}: ${kind} ${nodeId ?? ''}`;
    const visit = 'visit' in payload ? payload.visit : null;
    const key = `${nodeId}#${visit}`;
    if (kind === 'WorkflowEnding') {
      if (isEnding || open.size > 0) return line;
      isEnding = true;
    } else if (kind === 'NodeScheduled') {
      if (nodeId.startsWith('final') !== isEnding) return `${line} at the wrong time`;
      if (visit !== (visits.get(nodeId) ?? 0)) return `${line} is visit ${visit}`;
      if (skipped.has(nodeId)) return `${line} was skipped`;
      visits.set(nodeId, visit + 1);
      open.add(key);
    } else if (kind === 'NodeSkipped') {
      if (skipped.has(nodeId) || visits.has(nodeId)) return line;
      skipped.add(nodeId);
    } else if (visit !== null && !open.has(key)) {
      return `${line} is over`;
    }
    const isEnd =
      kind === 'NodeCompleted' ||
      kind === 'NodeCancelled' ||
      (kind === 'NodeFailed' && !payload.retryable);
    if (isEnd) open.delete(key);
    const isLast = at === history.events.length - 1;
    if (/^Workflow(Completed|Failed|Cancelled)$/.test(kind) && (!isLast || open.size > 0))
      return line;
  }
  return null;
}

/** Visits of a waiting execution that its explanation omits, and rows that it reports as lost. */
function unexplained(history: History): readonly string[] {
  const { plan, state } = history;
  const facts = factsAround(state);
  const { now } = facts;
  const { blockers } = explain({
    plan,
    state,
    facts,
    now,
    events: [],
    children: new Map(),
    workflowPause: null,
    placeWait: null,
    flowWait: null,
    rate: null,
  });
  const lost = blockers.filter(({ code }) => /^(not_marked|.*_missing)$/.test(code));
  const told = new Set(blockers.map(({ nodeId, visit }) => `${nodeId}#${visit}`));
  const untold = state.live.keys().filter((key) => !told.has(key));
  return [
    ...lost.map(({ message }) => message),
    ...(blockers.length === 0 ? ['it'] : []),
    ...untold,
  ];
}

function finalizersRun({ events }: History): readonly string[] {
  return events.flatMap(({ kind, nodeId }) =>
    kind === 'NodeScheduled' && nodeId.startsWith('final') ? [nodeId] : [],
  );
}

/** The finalizers that must run, by the outcome before any of them failed. */
function finalizersDue({ plan, events, state }: History): readonly string[] {
  const ending = events.find(({ kind }) => kind === 'WorkflowEnding');
  const outcome = ending?.kind === 'WorkflowEnding' ? ending.payload.outcome : state.status;
  return plan.finalizers
    .filter(
      ({ runOn }) => runOn === 'always' || (runOn === 'success') === (outcome === 'completed'),
    )
    .map(({ nodeId }) => nodeId);
}

test('a registered workflow never gets stuck, and its log folds to its state', (t) => {
  let ended = 0;
  fc.assert(
    fc.property(graph, fc.array(fc.nat(1_000), { minLength: 60, maxLength: 60 }), (ir, picks) => {
      const plan = planFor(ir);
      if (plan === null) return;
      const history = new History(plan, INPUT);
      for (const pick of picks) {
        if (history.ended()) break;
        t.deepEqual(unexplained(history), []);
        history.record(...factsOf(history, pick));
      }
      t.is(findBreach(history), null);
      if (history.ended()) ended += 1;
      t.deepEqual(
        history.events.map((event) => event.sequence),
        [...history.events.keys()].map((at) => at + 1),
      );
      const terminal = history.events.filter(({ kind }) => /^Workflow(Comp|Fail|Canc)/.test(kind));
      t.is(terminal.length, history.ended() ? 1 : 0);
      if (history.ended()) t.deepEqual(finalizersRun(history), finalizersDue(history));
      const folded = history.refold();
      t.deepEqual(folded.data, history.state.data);
      t.deepEqual(folded.arrivals, history.state.arrivals);
      t.deepEqual([...folded.live.keys()], [...history.state.live.keys()]);
      t.is(folded.stepsExecuted, history.state.stepsExecuted);
      t.deepEqual(decodeState(encodeState(history.state)), history.state);
    }),
    { numRuns: 400 },
  );
  t.true(ended > 100, `only ${ended} runs came to an end`);
});

test('runs that continue as others come to the same state as one that does not', (t) => {
  let handed = 0;
  fc.assert(
    fc.property(graph, fc.array(fc.nat(1_000), { minLength: 60, maxLength: 60 }), (ir, picks) => {
      const whole = planFor(ir);
      const parted = planFor({ ...ir, continue_as_new: { when: 'state.n != 3' } });
      if (whole === null || parted === null) return;
      const one = new History(whole, INPUT);
      let run = new History(parted, INPUT);
      for (const pick of picks) {
        if (one.ended()) break;
        one.record(...factsOf(one, pick));
        for (let next = successorOf(run); next !== null; next = successorOf(run)) {
          run = new History(parted, INPUT, undefined, next);
          handed += 1;
        }
        run.record(...factsOf(run, pick));
        for (let next = successorOf(run); next !== null; next = successorOf(run)) {
          run = new History(parted, INPUT, undefined, next);
          handed += 1;
        }
        t.deepEqual(run.state.data, one.state.data);
        t.deepEqual(run.state.status, one.state.status);
        t.deepEqual(
          run.state.arrivals.map(({ to }) => to),
          one.state.arrivals.map(({ to }) => to),
        );
        t.deepEqual(run.liveNodes(), one.liveNodes());
      }
      const skipped = (history: History) =>
        history.story().filter((line) => line.startsWith('NodeSkipped'));
      t.true(skipped(run).every((line) => skipped(one).includes(line)));
    }),
    { numRuns: 200 },
  );
  t.true(handed > 10, `only ${handed} runs continued as another`);
});

/** The first event of the run that continues this one. */
function successorOf(history: History): ExecutionEvent | null {
  if (history.state.continuedAs === null) return null;
  const started = history.effects.find((effect) => effect.do === 'start_successor');
  return started?.started ?? null;
}

test('a state that went through text at every step is decided upon alike', (t) => {
  let steps = 0;
  fc.assert(
    fc.property(graph, fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }), (ir, picks) => {
      const plan = planFor(ir);
      if (plan === null) return;
      const kept = new History(plan, INPUT);
      const reread = new History(plan, INPUT, (state) => decodeState(encodeState(state)));
      for (const pick of picks) {
        t.deepEqual(reread.events, kept.events);
        t.deepEqual(reread.effects, kept.effects);
        if (kept.ended()) break;
        const facts = factsOf(kept, pick);
        kept.record(...facts);
        reread.record(...facts);
        steps += 1;
      }
      t.deepEqual(reread.state, kept.state);
    }),
    { numRuns: 300 },
  );
  t.true(steps > 200, `only ${steps} steps`);
});

/** Whether a cycle exists in which no node waits for the outside. */
function purelyLooping(ir: JsonObject): boolean {
  const nodes = ir['nodes'] as Record<
    string,
    { kind: { type?: string; tool_ref?: string } | string }
  >;
  const pure = (id: string): boolean => {
    const kind = nodes[id]?.kind;
    if (typeof kind === 'object' && kind.type === 'map') return pure(`${id}_item`);
    const type = typeof kind === 'string' ? kind : (kind?.type ?? 'pass');
    // It fails at once, and a failure edge may lead back.
    if (typeof kind === 'object' && kind.tool_ref === 'blocked_tool') return true;
    return ['pass', 'parallel', 'condition', 'join', 'eval', 'policy'].includes(type);
  };
  const edges = ir['edges'] as { from: string; to: string }[];
  const reach = (from: string, goal: string, seen: Set<string>): boolean =>
    edges.some(
      (edge) =>
        edge.from === from &&
        pure(edge.to) &&
        (edge.to === goal || (!seen.has(edge.to) && reach(edge.to, goal, seen.add(edge.to)))),
    );
  return Object.keys(nodes).some((id) => pure(id) && reach(id, id, new Set()));
}
