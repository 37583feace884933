import { decide } from '../../../../src/shared/domain/execution/decide.ts';
import { emptyState } from '../../../../src/shared/domain/execution/draft.ts';
import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';
import { evolve } from '../../../../src/shared/domain/execution/evolve.ts';
import {
  DEFAULT_TENANT,
  executionIdFromUuid,
  type DefinitionId,
  type WorkItemId,
} from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { unlistedTenant } from '../../../../src/shared/domain/tenant.ts';
import { compilePlan } from '../../../../src/shared/domain/workflow/plan/compile-plan.ts';
import { bornItems } from '../../../../src/shared/engine/advance/born-items.ts';
import { heldFromStart, type Held } from '../../../../src/shared/engine/advance/held-execution.ts';
import type { RunningItem } from '../../../../src/shared/engine/advance/run-items.ts';
import {
  commitOfDecision,
  eventsOfDecision,
  newEvent,
} from '../../../../src/shared/engine/commit/commit-plan.ts';
import { createKindRegistry, NODE_KINDS } from '../../../../src/shared/nodes/index.ts';
import type { NodeRunner } from '../../../../src/shared/nodes/run.ts';
import type { RunnableKind } from '../../../../src/shared/nodes/runnable-kind.ts';

const START = '2026-01-01T00:00:00.000Z';
const WORKFLOW_ID = 'workflow';

/** Runs in the engine, with a runner of the test. */
const callKind: RunnableKind<JsonObject, NodeRunner> = {
  type: 'call',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => fields,
  runner: (given) => given,
  enter: (spec) => ({ do: 'work', queue: 'engine', input: {}, payload: spec }),
};

/** An execution just after its start: its first nodes are leased to this process. */
export function startedExecution(ir: JsonObject): {
  readonly held: Held;
  readonly items: readonly RunningItem[];
} {
  const stored = { workflow_id: WORKFLOW_ID, ...ir };
  const plan = compilePlan(stored, createKindRegistry([...NODE_KINDS, callKind]));
  const tenant = unlistedTenant(DEFAULT_TENANT);
  const executionId = executionIdFromUuid('00000000-0000-7000-8000-000000000001');
  const base = emptyState({ executionId, tenantId: DEFAULT_TENANT });
  const definitionId = 'definition' as DefinitionId;
  const about = { workflowId: WORKFLOW_ID, workflowVersion: '1', definitionId };
  const started: ExecutionEvent = {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: WORKFLOW_ID,
      workflow_version: '1',
      definition_id: definitionId,
      input: {},
    },
  };
  let drawn = 0;
  const decision = decide({
    plan,
    state: evolve({ state: base, events: [{ ...started, sequence: 1 }], plan }),
    tenantPolicy: tenant.policy,
    budgets: [],
    newWorkItemId: () => `item-${(drawn += 1)}` as WorkItemId,
  });
  const commit = {
    ...commitOfDecision({
      plan,
      base,
      rowStatus: null,
      events: eventsOfDecision([newEvent(started, 'token:test')], decision),
      decision,
      home: { leaseTo: { processId: 'here', leaseMs: 30_000 }, priority: 5 },
      takeSnapshot: false,
      descendantsMax: 0,
    }),
    create: {
      ...about,
      shard: 0,
      priority: 5,
      parentExecutionId: null,
      request: null,
      limits: null,
    },
  };
  const definition = {
    definitionId,
    workflowId: WORKFLOW_ID,
    version: '1',
    revision: 1,
    irHash: 'hash',
    ir: stored,
    tenantId: DEFAULT_TENANT,
    createdAt: START,
  };
  const compiled = { plan, definition };
  const held = heldFromStart({ commit, createdAt: START, state: decision.next, compiled, tenant });
  const fences = commit.bornLeased.map((_, index) => index + 1);
  return { held, items: bornItems(commit, fences) };
}
