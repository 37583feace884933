import { hashJson } from '../../../src/shared/domain/canonical-json.ts';
import { EXECUTION_FORMAT } from '../../../src/shared/domain/execution/document/execution-document.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { readWorkflow } from '../../../src/shared/domain/workflow/parse/read-workflow.ts';
import { builtInKinds } from '../../../src/shared/nodes/index.ts';
import { makeDefinitionId, makeExecutionId } from '../../shared/store/contract/make.ts';

/** A loop, and then a map of which one item fails. */
const IR: JsonObject = {
  workflow_id: 'large',
  version: '1',
  nodes: {
    tick: { kind: { type: 'python_fn', module: 'clock', function: 'tick' }, output_key: 'count' },
    each: {
      kind: {
        type: 'map',
        items: 'state.numbers',
        item_key: 'number',
        on_item_failure: 'collect',
        node: { id: 'one', kind: { type: 'python_fn', module: 'clock', function: 'one' } },
      },
      output_key: 'ones',
    },
  },
  edges: [
    { from: 'tick', to: 'tick', condition: 'state.count < 1000000' },
    { from: 'tick', to: 'each' },
  ],
};

const EVENTS_PER_VISIT = 3;

/** The export of an execution with about so many events, half of a loop and half of a map. */
export function makeLargeExecution(eventsWanted: number): {
  readonly document: JsonObject;
  readonly executionId: string;
  readonly events: number;
  readonly items: number;
} {
  const read = readWorkflow({ ir: IR, kinds: builtInKinds });
  if (!read.ok) throw new Error(`the workflow cannot be read: ${JSON.stringify(read)}`);
  const items = Math.floor(eventsWanted / 2 / EVENTS_PER_VISIT);
  const definitionId = makeDefinitionId();
  const executionId = makeExecutionId();
  const named = { workflow_id: read.plan.workflowId, workflow_version: read.plan.version };
  const log = createLog();
  log.add(null, 'WorkflowStarted', { ...named, definition_id: definitionId, input: {} });
  for (let visit = 0; visit < items; visit += 1) {
    const from = visit === 0 ? [] : ['tick'];
    addVisit(log, { nodeId: 'tick', visit, from, output: visit, more: { output_key: 'count' } });
  }
  log.add('each', 'NodeScheduled', {
    visit: 0,
    node_kind: 'map',
    phase: 'map',
    from: ['tick'],
    item_count: items,
    output_key: 'ones',
  });
  for (let index = 0; index < items; index += 1) {
    const map = { node_id: 'each', visit: 0, index };
    addVisit(log, { nodeId: 'one', visit: index, from: [], output: index, more: { map } });
  }
  log.add('each', 'NodeCompleted', { visit: 0, output: items });
  log.add(null, 'WorkflowCompleted', {});
  const first = log.events.at(0)?.['created_at'] ?? null;
  const last = log.events.at(-1)?.['created_at'] ?? null;
  const document: JsonObject = {
    format: EXECUTION_FORMAT,
    execution: {
      execution_id: executionId,
      tenant_id: 'elsewhere',
      definition_id: definitionId,
      ...named,
      parent_execution_id: null,
      status: 'completed',
      last_sequence: log.events.length,
      shard: 9,
      priority: 5,
      error: null,
      created_at: first,
      updated_at: last,
      completed_at: last,
    },
    definition: { definition_id: definitionId, revision: 1, ir_hash: read.irHash, ir: read.ir },
    events: log.events,
    snapshot: null,
    recorded_outputs: [],
    artifacts: [],
    redacted: false,
  };
  return {
    document: { ...document, sha256: hashJson(document) },
    executionId,
    events: log.events.length,
    items,
  };
}

interface Log {
  readonly events: JsonObject[];
  readonly add: (nodeId: string | null, kind: string, payload: JsonObject) => void;
}

function createLog(): Log {
  const events: JsonObject[] = [];
  const begin = Date.parse('2026-03-04T05:06:07.008Z');
  return {
    events,
    add: (nodeId, kind, payload) => {
      events.push({
        sequence: events.length + 1,
        kind,
        node_id: nodeId,
        actor_id: 'system:scheduler',
        payload,
        created_at: new Date(begin + events.length * 10).toISOString(),
      });
    },
  };
}

/** Three events: scheduled, called, and completed; the last item of a map fails instead. */
function addVisit(
  log: Log,
  made: {
    readonly nodeId: string;
    readonly visit: number;
    readonly from: readonly string[];
    readonly output: number;
    readonly more: JsonObject;
  },
): void {
  const { nodeId, visit, from, output, more } = made;
  const workItemId = `00000000-0000-4000-8000-${String(log.events.length).padStart(12, '0')}`;
  log.add(nodeId, 'NodeScheduled', {
    visit,
    node_kind: 'python_fn',
    phase: 'work',
    from,
    work_item_id: workItemId,
    queue: 'python_tool',
    idempotency_key: '0'.repeat(64),
    ...more,
  });
  const call = { visit, work_item_id: workItemId, attempt: 0 };
  log.add(nodeId, 'ToolCallCompleted', { ...call, tool: nodeId, duration_ms: 5 });
  if (nodeId === 'one' && visit === 7) {
    const error = 'item 7 is broken';
    log.add(nodeId, 'NodeFailed', { ...call, error, error_class: 'Broken', retryable: false });
  } else log.add(nodeId, 'NodeCompleted', { visit, output });
}
