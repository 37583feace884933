import type { ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { NodeRunner } from '../../../../src/shared/nodes/run.ts';
import type { CommitPlan } from '../../../../src/shared/store/commit.ts';
import type { ExecutionRow, Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

export const CALLER = { tenantId: TENANT, actorId: 'token:test' };

/** An engine on a new store, and helpers for tests of parents and children. */
export async function openScene(
  t: ExecutionContext,
  dialect: 'sqlite' | 'postgres',
  options: {
    readonly run?: NodeRunner['run'];
    readonly descendantsMax?: number;
    readonly onCommit?: (plans: readonly CommitPlan[]) => void;
  } = {},
) {
  const opened = await openTestStore(dialect);
  t.teardown(opened.close);
  const store = { ...opened.store, executions: watched(opened.store.executions, options.onCommit) };
  const svc = openTestEngine({ store, ...options });

  async function register(workflowId: string, ir: JsonObject): Promise<void> {
    await svc.engine.registerWorkflow({ ...CALLER, ir: { workflow_id: workflowId, ...ir } });
  }

  async function read(executionId: ExecutionId) {
    const view = await svc.engine.readExecution({ ...CALLER, executionId });
    return { ...view, status: view.row.status, data: view.state.data };
  }

  /** Oldest first. */
  async function children(executionId: ExecutionId): Promise<readonly ExecutionRow[]> {
    const rows = await svc.engine.listExecutions({
      tenantId: TENANT,
      status: null,
      workflowId: null,
      parentExecutionId: executionId,
      createdAfter: null,
      createdBefore: null,
      cursor: null,
      limit: 500,
      offset: 0,
    });
    return rows.toReversed();
  }

  /** The child that started last. */
  async function child(executionId: ExecutionId): Promise<ExecutionRow> {
    const last = (await children(executionId)).at(-1);
    if (last === undefined) throw new Error(`${executionId} has no children`);
    return last;
  }

  async function cancel(executionId: ExecutionId): Promise<void> {
    await svc.engine.cancelExecution({ ...CALLER, executionId });
  }

  async function send(executionId: ExecutionId, correlationKey: string, payload: JsonObject) {
    return svc.engine.deliverExternalEvent({ ...CALLER, executionId, correlationKey, payload });
  }

  return { ...svc, opened, register, read, children, child, cancel, send };
}

function watched(
  executions: Store['executions'],
  onCommit: (plans: readonly CommitPlan[]) => void = () => undefined,
): Store['executions'] {
  return {
    ...executions,
    commit: (plans) => {
      onCommit(plans);
      return executions.commit(plans);
    },
  };
}

/** Starts one child of workflow `child`. */
export function parentOf(fields: JsonObject = {}, node: JsonObject = {}): JsonObject {
  return {
    start_node: 'sub',
    nodes: { sub: { kind: { type: 'subgraph', workflow_ref: 'child', ...fields }, ...node } },
  };
}
