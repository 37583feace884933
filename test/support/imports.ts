import { digestImported } from '../../src/shared/domain/audit/imported-executions.ts';
import { hashHistory } from '../../src/shared/domain/audit/retired-executions.ts';
import { hashJson } from '../../src/shared/domain/canonical-json.ts';
import {
  EXECUTION_FORMAT,
  type ExecutionDocument,
} from '../../src/shared/domain/execution/document/execution-document.ts';
import type { TerminalStatus } from '../../src/shared/domain/execution/status.ts';
import type { DefinitionId, ExecutionId, TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { readWorkflow } from '../../src/shared/domain/workflow/parse/read-workflow.ts';
import {
  hashDocumented,
  prepareEvents,
} from '../../src/shared/engine/executions/import/import-events.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';
import type { Importing } from '../../src/shared/store/imports.ts';
import { makeDefinitionId, makeExecutionId, makeUuid } from '../shared/store/contract/make.ts';

/** The import that the engine derives from a valid document. */
export function importingOf(
  document: ExecutionDocument,
  tenantId: TenantId,
  changes: Partial<Importing> = {},
): Importing {
  const { execution, definition } = document;
  const executionId = execution.execution_id as ExecutionId;
  const events = prepareEvents(document.events);
  const eventHashes = hashHistory(hashDocumented({ tenantId, executionId, events }));
  const documentSha256 = 'd'.repeat(64);
  const retirementId = changes.retirementId ?? null;
  return {
    importId: makeUuid(),
    tenantId,
    actorId: 'token:ops',
    told: {
      digest: digestImported({ executionId, documentSha256, retirementId, eventHashes }),
    },
    documentSha256,
    eventHashes,
    retirementId,
    artifacts: [],
    execution: {
      executionId,
      parentExecutionId: execution.parent_execution_id as ExecutionId | null,
      status: execution.status as TerminalStatus,
      shard: 3,
      priority: 7,
      labels: {},
      error: execution.error,
      failure: null,
      createdAt: document.events[0]?.created_at ?? '',
      completedAt: document.events.at(-1)?.created_at ?? '',
    },
    events,
    definition: {
      definitionId: execution.definition_id as DefinitionId,
      workflowId: execution.workflow_id,
      version: execution.workflow_version,
      revision: definition?.revision ?? 4,
      irHash: hashJson({ workflow_id: execution.workflow_id }),
      ir: { workflow_id: execution.workflow_id },
    },
    snapshot: null,
    ...changes,
  };
}

/** The document of an execution that failed long ago, with three events. */
export function makeDocument(
  execution: Partial<ExecutionDocument['execution']> = {},
): ExecutionDocument {
  const at = (second: number): string => `2026-03-04T05:06:0${second}.007Z`;
  const definitionId = makeDefinitionId();
  const event = { node_id: null, actor_id: 'token:there' };
  const started = { workflow_id: 'greet', workflow_version: '1', definition_id: definitionId };
  return {
    format: EXECUTION_FORMAT,
    execution: {
      execution_id: makeExecutionId(),
      tenant_id: 'elsewhere',
      definition_id: definitionId,
      workflow_id: 'greet',
      workflow_version: '1',
      parent_execution_id: null,
      status: 'failed',
      last_sequence: 3,
      shard: 9,
      priority: 7,
      error: 'boom',
      created_at: at(1),
      updated_at: at(3),
      completed_at: at(3),
      ...execution,
    },
    definition: null,
    events: [
      {
        ...event,
        sequence: 1,
        kind: 'WorkflowStarted',
        payload: { ...started, input: { 'ä"\\': [1.5, null, { 2: true, a: '\u2028' }] } },
        created_at: at(1),
      },
      { ...event, sequence: 2, kind: 'NodeSkipped', node_id: 'a', payload: {}, created_at: at(2) },
      {
        ...event,
        sequence: 3,
        kind: 'WorkflowFailed',
        payload: { error: 'boom', error_class: 'Boom', node_id: null },
        created_at: at(3),
      },
    ],
    snapshot: null,
    recorded_outputs: [],
  };
}

/** A complete and correct export of an execution that was cancelled before its only node began. */
export function makeExport(ids: {
  readonly executionId: string;
  readonly definitionId: string;
}): JsonObject {
  const ir = { workflow_id: 'taken-in', version: '1', nodes: { a: { kind: 'pass' } }, edges: [] };
  const read = readWorkflow({ ir, kinds: builtInKinds });
  if (!read.ok) throw new Error('the workflow cannot be read');
  const { definitionId: definition_id, executionId: execution_id } = ids;
  const named = { workflow_id: read.plan.workflowId, workflow_version: read.plan.version };
  const at = ['2026-03-04T05:06:07.008Z', '2026-03-04T05:06:07.009Z'] as const;
  const event = { node_id: null, actor_id: 'token:there' };
  const document: JsonObject = {
    format: EXECUTION_FORMAT,
    execution: {
      execution_id,
      tenant_id: 'elsewhere',
      definition_id,
      ...named,
      parent_execution_id: null,
      status: 'cancelled',
      last_sequence: 2,
      shard: 9,
      priority: 5,
      error: null,
      created_at: at[0],
      updated_at: at[1],
      completed_at: at[1],
    },
    definition: { definition_id, revision: 2, ir_hash: read.irHash, ir: read.ir },
    events: [
      {
        ...event,
        sequence: 1,
        kind: 'WorkflowStarted',
        payload: { ...named, definition_id, input: {} },
        created_at: at[0],
      },
      { ...event, sequence: 2, kind: 'WorkflowCancelled', payload: {}, created_at: at[1] },
    ],
    snapshot: null,
    recorded_outputs: [],
    artifacts: [],
    redacted: false,
  };
  return { ...document, sha256: hashJson(document) };
}
