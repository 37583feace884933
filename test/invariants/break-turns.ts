import { addExecution, type Told } from './break-concurrency.ts';
import type { SeenClaim, ShareOf } from './checks/check-turns.ts';
import type { ExampleRun } from './example-run.ts';

/** The keys of fairness in the example run: only these cases have executions of the workflow. */
export const SHARES: Readonly<Record<string, ShareOf>> = {
  fair: (token) => ({ key: token, weight: token === 'gold' ? 3 : 1 }),
};

const PLAIN = 'exec_7';
const GOLD = 'exec_8';
const GOLD_ITEMS = ['g1', 'g2', 'g3', 'g4', 'g5'];

/** By rule: a function that breaks it. */
export const TURNS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'an item has the key and the weight of its execution': (run) => {
    addFair(run);
    const item = { work_item_id: 'g1', execution_id: GOLD, tenant_id: 'amber', node_id: 'a' };
    const rest = { visit: 0, idempotency_key: 'k7', retry_policy: {} };
    run.last.work_items.push({ ...item, ...rest, queue_name: 'default~gold~1' });
  },
  'items of a key are taken in the order in which they came': (run) => {
    addFair(run);
    run.claims.push(claimOf(['g1', 'g2'], 'g1'), claimOf(['g2', 'g3'], 'g3'));
  },
  'while a key waits, others get no more than their weights allow': (run) => {
    addFair(run);
    addTurns(run, GOLD_ITEMS.length);
  },
};

/** An item of the key of weight 1 waits, and as many of weight 3 are taken as may be. */
export function addFairTurns(run: ExampleRun): ExampleRun {
  addFair(run);
  addTurns(run, 4);
  run.claims.push(claimOf(['p1', 'g5'], 'p1'));
  return run;
}

function addTurns(run: ExampleRun, count: number): void {
  for (let turn = 0; turn < count; turn += 1) {
    const left = GOLD_ITEMS.slice(turn);
    run.claims.push(claimOf(['p1', ...left], left[0] ?? ''));
  }
}

function addFair(run: ExampleRun): void {
  const story = (token: string): readonly Told[] => [
    { kind: 'WorkflowStarted', payload: { input: { token } }, place: 101 },
    { kind: 'WorkflowCancelled', payload: {}, place: 102 },
  ];
  addExecution(run, { id: PLAIN, workflowId: 'fair', told: story('plain') });
  addExecution(run, { id: GOLD, workflowId: 'fair', told: story('gold') });
}

function claimOf(ids: readonly string[], taken: string): SeenClaim {
  const waiting = ids.map((id) => ({
    work_item_id: id,
    execution_id: id.startsWith('g') ? GOLD : PLAIN,
    line: 'amber/python_tool 5',
    place: -1_000 + Number(id.slice(1)),
  }));
  return { process: 1, at: 0, waiting, taken: [taken] };
}
