import type { Mutation } from './mutations.ts';

const FUNCTIONS = 'shared/engine/work/functions';

/** Bugs of durable functions: their journals, waits and rollbacks. */
export const FUNCTION_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'an identity is recorded as often as it is sent',
    file: `${FUNCTIONS}/append-entries.ts`,
    from: 'if (entries.some(({ identity }) => run.recorded.has(identity))) throw conflicts();\n',
    to: '',
  },
  {
    bug: 'entries are appended at any expected length',
    file: `${FUNCTIONS}/append-entries.ts`,
    from: 'const expected = expectedLength ?? length;',
    to: 'const expected = length;',
  },
  {
    bug: 'entries are appended to a state that has changed',
    file: `${FUNCTIONS}/change-run.ts`,
    from: 'expectedSequence: known.state.sequence,',
    to: 'expectedSequence: null,',
  },
  {
    bug: 'steps are recorded under a lease that is gone',
    file: `${FUNCTIONS}/record-steps.ts`,
    from: 'commit: { keepsLeases: [leaseOf(item)] },',
    to: 'commit: {},',
  },
  {
    bug: 'a turn continues under a lease that is gone',
    file: `${FUNCTIONS}/suspend-function.ts`,
    from: '? { keepsLeases: [leaseOf(open.found)] }',
    to: '? {}',
  },
  {
    bug: 'a suspended function keeps its lease',
    file: `${FUNCTIONS}/suspend-function.ts`,
    from: "settles: [{ ...leaseOf(open.found), onlyIfExpired: false }],\n            runnable: 'mark' as const,",
    to: "keepsLeases: [leaseOf(open.found)],\n            runnable: 'mark' as const,",
  },
  {
    bug: 'a function that continues as new keeps its journal',
    file: 'shared/domain/execution/fold/fold-continuation.ts',
    from: 'run: { ...NEW_RUN, begunBy: by } };',
    to: 'run: { ...(before.run ?? NEW_RUN), begunBy: by } };',
    also: [
      {
        file: 'shared/domain/execution/fold/fold-continuation.ts',
        from: '    run: NEW_RUN,\n',
        to: '',
      },
    ],
  },
  {
    bug: 'a function continues as new under a lease that is gone',
    file: `${FUNCTIONS}/continue-function.ts`,
    from: 'settles: [{ ...leaseOf(open.found), onlyIfExpired: false }],',
    to: 'settles: [],',
  },
  {
    bug: 'a function continues as new with the input of its first visit',
    file: 'shared/domain/execution/decisions/enter-node.ts',
    from: 'const scope = { ...before, input };',
    to: 'const scope = { ...before, input: before.input ?? input };',
  },
  {
    bug: 'the waits of a function outlive its visit',
    file: `${FUNCTIONS}/continue-function.ts`,
    from: '...endsWithFunction(state, { ...visit, run, awaits }),',
    to: '',
  },
  {
    bug: 'a retry forgets the input that a function continued with',
    file: 'shared/domain/execution/carry/carry-inputs.ts',
    from: 'continued.set(key, { node_id: nodeId, visit: begins, input });',
    to: '',
  },
  {
    bug: 'a retry makes one visit of all visits of a node',
    file: 'shared/domain/execution/retry-point.ts',
    from: 'const token = { to: nodeId, output: scope.output, visit };',
    to: 'const token = { to: nodeId, output: scope.output, ...(visit < 0 && { visit }) };',
  },
  {
    bug: 'a satisfied wait of a function stays open',
    file: 'shared/domain/execution/fold/fold-function.ts',
    from: 'waits: run.waits.filter(({ identity }) => !entries.some((one) => one.identity === identity)),',
    to: 'waits: run.waits,',
  },
  {
    bug: 'compensations run in the order of registration',
    file: 'shared/domain/execution/decisions/answer-functions.ts',
    from: 'compensations: run.compensations.toReversed(),',
    to: 'compensations: run.compensations,',
  },
  {
    bug: 'a cancel ends a function that owes compensations',
    file: 'shared/domain/execution/fold/fold-function.ts',
    from: 'if (visit !== undefined && owesRollback(visit.run) && payload.rolled_back !== true) {',
    to: 'if (visit !== undefined && owesRollback(null) && payload.rolled_back !== true) {',
  },
  {
    bug: 'a turn is handed out with an old journal',
    file: `${FUNCTIONS}/open-turn.ts`,
    from: "if (!('bornAt' in item)) return null;",
    to: "if (!('bornAt' in item)) return heldExecutions.get(item.ticket.executionId);",
  },
  {
    bug: 'recorded steps are answered to a former holder of the lease',
    file: `${FUNCTIONS}/record-steps.ts`,
    from: 'if (!(await isLeased(deps, item))) throw refuse();',
    to: '',
  },
  {
    bug: 'a function is queued for a visit that the same decision ends',
    file: 'shared/engine/commit/collect-effects.ts',
    from: "effect.do !== 'requeue_work' || index > (revokedAt.get(effect.workItemId) ?? -1),",
    to: "effect.do !== 'requeue_work' || index >= 0,",
  },
  {
    bug: 'a parent is not charged for the usage of its children',
    file: 'shared/store/sqlite/commit/usage.ts',
    from: 'for (const execution of chain) {',
    to: 'for (const execution of chain.slice(0, 1)) {',
  },
  {
    bug: 'a retry is charged again for the usage of steps that it takes over',
    file: 'shared/domain/execution/function-events.ts',
    from: 'return carried === true ? [] : entries',
    to: 'return carried === undefined && entries.length === 0 ? [] : entries',
  },
  {
    bug: 'a turn begins although a budget is used up',
    file: 'shared/domain/execution/decisions/answer-functions.ts',
    from: "const held = visit.run?.mode === 'rollback' ? null : judgeBudget(turn);",
    to: "const held = visit.run?.mode === 'run' ? null : judgeBudget(turn);",
  },
  {
    bug: 'a decision forgets the usage in its own commit, and a budget is exceeded',
    file: 'shared/engine/advance/plan-step.ts',
    from: 'addUse(await readBudgets(deps, row.executionId), facts)',
    to: 'addUse(await readBudgets(deps, row.executionId), [])',
  },
  {
    bug: 'a worker does not learn that a budget is used up',
    file: 'shared/engine/work/functions/judge-usage.ts',
    from: 'exceeded: exceededBudget(over),',
    to: 'exceeded: exceededBudget(over.slice(1)),',
  },
];
