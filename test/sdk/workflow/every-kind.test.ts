import test from 'ava';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { inspectWorkflow } from '../../../src/shared/domain/workflow/ir.ts';
import { workflowSchema } from '../../../src/shared/domain/workflow/schema/workflow-schema.ts';
import { builtInKinds, NODE_KINDS } from '../../../src/shared/nodes/index.ts';
import { child, flow, parts } from './every-kind.ts';

/* The builder supports everything that a definition can contain. */

const workflows = [child, flow, parts];
const irs = workflows.map((workflow): JsonValue => JSON.parse(JSON.stringify(workflow.toIR())));

for (const { id, toIR } of workflows) {
  test(`the runtime accepts ${id} without a warning`, (t) => {
    const read = inspectWorkflow({ ir: toIR(), kinds: builtInKinds });
    t.deepEqual(read.ok ? [] : read.problems, []);
    t.deepEqual(read.warnings, []);
  });
}

const nodes = irs.flatMap((ir) => [...membersAt(ir, 'nodes'), ...below(ir, 'node')]);
const kinds = nodes.map((node) => read(node, 'kind')).filter(isJsonObject);

test('a step of every kind is built', (t) => {
  const built = new Set(kinds.map((kind) => kind['type']));
  for (const { type } of NODE_KINDS) t.true(built.has(type), type);
});

/** Aliases of fields, and short forms of what the builder writes in full. */
const SAID_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  Workflow: [],
  Node: ['id', 'kind', 'type'],
  java_fn: ['module', 'function'],
  map: ['workflow_ref', 'workflow_version', 'output_mapping'],
  model: ['model', 'provider', 'base_url'],
  memory_retrieval: ['query'],
  Edge: ['source', 'target'],
  RetryPolicy: ['initial_delay_secs', 'max_delay_secs'],
  Timeouts: ['node_timeout', 'workflow_timeout', 'approval_timeout', 'schedule_to_start']
    .concat('heartbeat_interval')
    .map((name) => `${name}_secs`),
  Tool: ['type', 'url', 'output_mapping'],
  DataPolicy: ['pii_detectors', 'redaction_mode'],
  Scorer: [
    'check',
    'prompt',
    'model',
    'provider',
    'base_url',
    'temperature',
    'timeout_secs',
  ].concat('retry_policy'),
};

/** The objects of each part of a definition. */
const PARTS: Readonly<Record<string, readonly JsonObject[]>> = {
  Workflow: irs.filter(isJsonObject),
  Edge: membersBelow(irs, 'edges'),
  RetryPolicy: [...membersBelow(irs, 'retry_policies'), ...below(irs, 'retry_policy')],
  Timeouts: below(irs, 'timeouts'),
  Concurrency: below(irs, 'concurrency'),
  ContinueAsNew: below(irs, 'continue_as_new'),
  Expose: below(irs, 'expose'),
  Model: membersBelow(irs, 'models'),
  Tool: membersBelow(irs, 'tools'),
  McpServer: membersBelow(irs, 'mcp_servers'),
  RemoteAgent: membersBelow(irs, 'remote_agents'),
  Auth: below(irs, 'auth'),
  Policy: below(irs, 'policy'),
  PolicyRule: membersBelow(irs, 'rules'),
  PolicyRules: membersBelow(irs, 'policies'),
  DataPolicy: below(irs, 'data_policy'),
  Scorer: membersBelow(irs, 'scorers'),
};

const definitions = workflowSchema(NODE_KINDS)['$defs'];

for (const [name, written] of Object.entries(PARTS)) {
  test(`every field of ${name} is used`, (t) => {
    t.deepEqual(unused(fieldsOf(name), written, SAID_OTHERWISE[name] ?? []), []);
  });
}

for (const { type, fields = {} } of NODE_KINDS) {
  test(`every field of ${type} is used`, (t) => {
    const written = kinds.filter((kind) => kind['type'] === type);
    t.deepEqual(unused(Object.keys(fields), written, SAID_OTHERWISE[type] ?? []), []);
  });
}

test('every field of a node is used', (t) => {
  const common = fieldsOf('LimitExceededNode').filter(
    (name) => name !== 'message' && name !== 'timeout_secs',
  );
  t.deepEqual(unused(common, nodes, SAID_OTHERWISE['Node'] ?? []), []);
});

function fieldsOf(definition: string): readonly string[] {
  return Object.keys(read(read(definitions, definition), 'properties') ?? {});
}

function unused(
  fields: readonly string[],
  written: readonly JsonObject[],
  otherwise: readonly string[],
): readonly string[] {
  const used = new Set(written.flatMap((object) => Object.keys(object)));
  return fields.filter((field) => !used.has(field) && !otherwise.includes(field));
}

function read(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function membersAt(value: JsonValue, key: string): readonly JsonObject[] {
  return Object.values(read(value, key) ?? {}).filter(isJsonObject);
}

/** Every object under that key, at any depth. */
function below(value: JsonValue, key: string): readonly JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isJsonObject(value) ? [value[key]].filter(isJsonObject) : [];
  return [...own, ...Object.values(value).flatMap((member) => below(member ?? null, key))];
}

/** Every member of the objects under that key, at any depth. */
function membersBelow(value: JsonValue, key: string): readonly JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.values(read(value, key) ?? {}).filter(isJsonObject);
  const rest = Object.values(value).flatMap((member) => membersBelow(member ?? null, key));
  return [...own, ...rest];
}
