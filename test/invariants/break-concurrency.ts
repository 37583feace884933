import type { KeyOf } from './checks/check-concurrency.ts';
import type { EventOf } from './dump.ts';
import type { ExampleRun } from './example-run.ts';

/** The keys of concurrency in the example run: only these cases have executions of the workflow. */
export const KEYS: Readonly<Record<string, KeyOf>> = {
  keyed: { limit: 1, whenFull: 'cancel_oldest', keyOf: (token) => token },
};

/** By rule: a function that breaks it. */
export const CONCURRENCY_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'no more executions of a key run than its limit': (run) => {
    addKeyed(run, 'exec_7', [started(101), begun(102)]);
    addKeyed(run, 'exec_8', [started(103), begun(104)]);
  },
  'executions of a key begin in the order of their starts': (run) => {
    addKeyed(run, 'exec_7', [started(101), begun(104)]);
    addKeyed(run, 'exec_8', [started(102), begun(103)]);
  },
  'starts of a tenant with a limit begin in their order': (run) => {
    const of = { workflowId: 'w', tenantId: 'birch' };
    const [first, second] = [
      [started(101), begun(104), cancelled(105)],
      [started(102), begun(103), cancelled(106)],
    ];
    addExecution(run, { ...of, id: 'exec_7', told: first });
    addExecution(run, { ...of, id: 'exec_8', told: second });
  },
  'an execution ends only for newer ones of its key': (run) => {
    addKeyed(run, 'exec_7', [started(102)]);
    addKeyed(run, 'exec_8', [started(103), cancelledFor('exec_7', 104)]);
  },
};

/** The event of an execution, at a place among all events and as many milliseconds after 1 s. */
export type Told = Pick<EventOf, 'kind' | 'payload'> & { readonly place: number };

export function started(place: number): Told {
  return { kind: 'WorkflowStarted', payload: { input: { token: 'one' } }, place };
}

export function begun(place: number): Told {
  return { kind: 'NodeScheduled', payload: { visit: 0 }, place };
}

function cancelled(place: number): Told {
  return { kind: 'WorkflowCancelled', payload: {}, place };
}

function cancelledFor(executionId: string, place: number): Told {
  const reason = `it made room for ${executionId}, started by token:c`;
  return { kind: 'WorkflowCancelled', payload: { reason }, place };
}

/** An execution of the workflow with a key, whose events are written at these places. */
function addKeyed(run: ExampleRun, id: string, told: readonly Told[]): void {
  addExecution(run, { id, workflowId: 'keyed', told });
}

export function addExecution(
  { last }: ExampleRun,
  of: {
    readonly id: string;
    readonly workflowId: string;
    readonly tenantId?: string;
    readonly told: readonly Told[];
  },
): void {
  const { id, workflowId, tenantId = 'amber', told } = of;
  last.executions.push({
    id,
    tenant_id: tenantId,
    workflow_id: workflowId,
    parent_execution_id: null,
    status: told.at(-1)?.kind === 'WorkflowCancelled' ? 'cancelled' : 'running',
    last_sequence: told.length,
  });
  told.forEach(({ kind, payload, place }, index) => {
    last.events.push({
      execution_id: id,
      sequence: index + 1,
      kind,
      node_id: null,
      payload,
      actor_id: 'token:c',
      created_at: 1_000 + place,
      place,
    });
  });
}
