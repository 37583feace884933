import type { SeenEngineClaim, WaitingCall } from './checks/check-tenant-turns.ts';
import type { ExampleRun } from './example-run.ts';

const AMBER: readonly WaitingCall[] = [1, 2, 3].map((seq) => callOf('amber', seq));
const BIRCH: readonly WaitingCall[] = [4, 5].map((seq) => callOf('birch', seq));
const ALL = [...AMBER, ...BIRCH];

/** By rule: a function that breaks it. */
export const TENANT_TURNS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'tenants take turns while calls may be left': (run) => {
    run.engineClaims.push(inTurns({}, ['amber1']), { ...inTurns({}, ['amber2']), held: null });
  },
  'a place goes to a tenant with the fewest calls in the process': (run) => {
    run.engineClaims.push(inTurns({ amber: 1, birch: 1 }, ['amber1', 'amber2']));
  },
  'a tenant gets its calls by priority and age': (run) => {
    run.engineClaims.push(inTurns({}, ['amber2']));
  },
};

/** Turns as they should be, and a claim by age after one that has found less than it had room for. */
export function addTenantTurns(run: ExampleRun): ExampleRun {
  run.engineClaims.push(
    inTurns({ amber: 1 }, ['birch4', 'amber1', 'birch5', 'amber2', 'amber3'], 6),
    { ...inTurns({}, ['amber1', 'amber2']), held: null },
  );
  return run;
}

function inTurns(
  held: Readonly<Record<string, number>>,
  taken: readonly string[],
  limit = taken.length,
): SeenEngineClaim {
  return { process: 1, limit, held: new Map(Object.entries(held)), waiting: ALL, taken };
}

function callOf(tenant: string, seq: number): WaitingCall {
  return { work_item_id: `${tenant}${seq}`, tenant_id: tenant, priority: 5, seq };
}
