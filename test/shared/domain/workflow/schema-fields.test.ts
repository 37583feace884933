import test from 'ava';

import { readdirSync, readFileSync } from 'node:fs';
import { parseDataPolicy } from '../../../../src/shared/domain/data-policy/parse-data-policy.ts';
import { parseScorers } from '../../../../src/shared/domain/eval/parse-scorers.ts';
import { isJsonObject, type JsonObject } from '../../../../src/shared/domain/json.ts';
import { parsePolicy } from '../../../../src/shared/domain/policy/parse-policy.ts';
import { parseRules } from '../../../../src/shared/domain/policy/parse-rules.ts';
import { isExposedToA2a, readExposure } from '../../../../src/shared/domain/workflow/expose.ts';
import type { KindRegistry } from '../../../../src/shared/domain/workflow/kind-registry.ts';
import { buildPlan } from '../../../../src/shared/domain/workflow/plan/build-plan.ts';
import { normaliseIr } from '../../../../src/shared/domain/workflow/parse/normalise-ir.ts';
import { normaliseEdge } from '../../../../src/shared/domain/workflow/parse/normalise-edge.ts';
import { normaliseNode } from '../../../../src/shared/domain/workflow/parse/normalise-node.ts';
import { parseConcurrency } from '../../../../src/shared/domain/workflow/parse/parse-concurrency.ts';
import { parseContinueAsNew } from '../../../../src/shared/domain/workflow/parse/parse-continue-as-new.ts';
import { parseNode } from '../../../../src/shared/domain/workflow/parse/parse-node.ts';
import { parseParts } from '../../../../src/shared/domain/workflow/parse/parse-parts.ts';
import { parseRetryPolicy } from '../../../../src/shared/domain/workflow/parse/parse-retry-policy.ts';
import { parseTimeouts } from '../../../../src/shared/domain/workflow/parse/parse-timeouts.ts';
import { ProblemList, WarningList } from '../../../../src/shared/domain/workflow/problem.ts';
import { readWorkflow } from '../../../../src/shared/domain/workflow/parse/read-workflow.ts';
import type { FieldSchema } from '../../../../src/shared/domain/workflow/schema/fields.ts';
import { NODE_FIELDS } from '../../../../src/shared/domain/workflow/schema/workflow-fields.ts';
import { workflowDefinitions } from '../../../../src/shared/domain/workflow/schema/workflow-schema.ts';
import { builtInKinds, NODE_KINDS } from '../../../../src/shared/nodes/index.ts';
import { recordReads } from './record-reads.ts';

/*
 * The schema declares fields, and the parsers read them. Editors would reject a field that only
 * parsers know, and nothing would read a field that only the schema knows.
 */

/** Fields that the runtime does not read, and that authors may write. */
const FOR_READERS = ['description', 'labels', 'permissions', 'name', 'strict'];

const findings = () => ({ problems: new ProblemList(), warnings: new WarningList() });
const ignore = () => {};
const part = (key: string) => (sample: JsonObject) => {
  parseParts({ [key]: { one: sample } }, findings());
};
const auth = (sample: JsonObject) =>
  part('mcp_servers')({ url: 'https://a.example', auth: sample });
const scorer = (sample: JsonObject) =>
  parseScorers([sample], { problem: ignore, variables: [], models: new Map() });

type Recorder = <Value extends JsonObject>(value: Value) => Value;

/** The parser of each part, with samples that reach all of its branches. */
const PARTS: Readonly<
  Record<
    string,
    {
      readonly read: (sample: JsonObject, record: Recorder) => unknown;
      readonly samples?: readonly JsonObject[];
    }
  >
> = {
  Workflow: { read: readTop },
  Edge: { read: (sample) => normaliseEdge(sample, '', new ProblemList()) },
  RetryPolicy: {
    read: (sample) => parseRetryPolicy(sample, '', new ProblemList()),
    samples: [{}, { initial_delay_secs: 1, max_delay_secs: 2 }],
  },
  Timeouts: { read: (timeouts) => parseTimeouts({ timeouts }, findings()) },
  Concurrency: { read: (sample) => parseConcurrency({ concurrency: sample }, findings()) },
  ContinueAsNew: { read: (sample) => parseContinueAsNew({ continue_as_new: sample }, findings()) },
  Expose: {
    read: (expose) => {
      isExposedToA2a({ expose });
      readExposure({ expose });
    },
  },
  Model: { read: part('models'), samples: [{ provider: 'openai', model: 'm' }] },
  Tool: {
    read: part('tools'),
    samples: [
      {},
      { kind: 'http', reference: 'https://a.example' },
      { kind: 'python', reference: 'a:b' },
      { kind: 'mcp', reference: 'a/b' },
    ],
  },
  McpServer: { read: part('mcp_servers') },
  RemoteAgent: { read: part('remote_agents'), samples: [{ url: 'https://a.example' }] },
  Auth: {
    read: auth,
    samples: [{ type: 'bearer' }, { type: 'api_key' }, { type: 'oauth2' }],
  },
  Policy: { read: (sample) => parsePolicy(sample, '', new ProblemList()) },
  PolicyRules: { read: part('policies') },
  PolicyRule: { read: (sample) => parseRules([sample], ignore) },
  DataPolicy: {
    read: (sample) => parseDataPolicy(sample, '', new ProblemList()),
    samples: [{}, { pii_detectors: [], redaction_mode: 'mask' }],
  },
  Scorer: {
    read: scorer,
    samples: [
      { type: 'assertion' },
      { type: 'latency' },
      { type: 'latency', max_ms: 1 },
      { type: 'cost' },
      { type: 'llm_judge' },
      { type: 'llm_judge', rubric: 'r' },
      { type: 'llm_judge', rubric: 'r', provider: 'openai', model: 'm' },
    ],
  },
};

/** Reads the definition as sent, and then in its stored form. */
function readTop(_sample: JsonObject, record: Recorder): void {
  const ir = record({ workflow_id: 'w' });
  const normalised = normaliseIr({ ir, kinds: builtInKinds, findings: findings() });
  if (normalised === null) throw new Error('the sample cannot be read');
  buildPlan({ ...normalised, ir: record(normalised.ir) }, findings());
}

const definitions = workflowDefinitions(NODE_KINDS);

for (const [name, { read, samples = [{}] }] of Object.entries(PARTS)) {
  test(`${name} has the fields that are read, and no others`, (t) => {
    const reads = new Set<string>();
    const record: Recorder = (value) => recordReads(value, (path) => reads.add(path));
    for (const sample of samples) read(record(sample), record);
    const fields = fieldsOf(definitions[name]);
    const known = fields.filter((field) => reads.has(field) || !FOR_READERS.includes(field));
    t.deepEqual(ownOf(reads).toSorted(), known.toSorted());
  });
}

test('a node has the fields that are read, and no others', (t) => {
  const reads = new Set<string>();
  const { node } = normaliseNode({
    id: 'a',
    raw: recordReads({ kind: 'pass' }, (path) => reads.add(path)),
    pointer: '/nodes/a',
    kinds: builtInKinds,
    findings: findings(),
  });
  parseNode({
    node: { ...node, json: recordReads(node.json, (path) => reads.add(path)) },
    outEdges: [],
    inEdges: [],
    nodeIds: new Set(['a']),
    retryPolicies: new Map(),
    parts: parseParts({}, findings()),
    findings: findings(),
  });
  const known = Object.keys(NODE_FIELDS).filter((field) => !FOR_READERS.includes(field));
  t.deepEqual(ownOf(reads).toSorted(), [...known, 'kind', 'type'].toSorted());
});

/** Both quotas of a tool, with all their fields. */
const QUOTAS = {
  concurrency: { limit: 1, key: 'input.tenant' },
  rate: { limit: 1, per: '1s', burst: 2, key: 'input.tenant' },
};

/** Samples for branches of a parser that no example reaches. */
const SAMPLES: Readonly<Record<string, readonly JsonObject[]>> = {
  python_fn: [{ module: 'm', function: 'f', ...QUOTAS }],
  parallel: [{ branches: [{ target: 'a' }] }],
  join: [{ merge_strategy: { custom: { function_ref: 'a:b' } } }],
  agent: [
    { agent: { explicit: 'https://a.example' } },
    { agent: { auto: {} }, budget: { max_cost_usd: 1 }, tiebreaker: 'model' },
    { agent: 'auto', weights: { skills: 1, trust: 1, cost: 1, latency: 1 } },
  ],
  agent_discovery: [
    { weights: { skills: 1, trust: 1, cost: 1, latency: 1 }, budget: {}, tiebreaker: 'model' },
  ],
  coordinator: [
    { weights: { skills: 1, trust: 1, cost: 1, latency: 1 }, budget: {}, tiebreaker: 'model' },
  ],
  eval: [
    { on_fail: { fail: {} } },
    { on_fail: { warn: {} } },
    { on_fail: { retry: { target: 'a' } } },
    { on_fail: { branch: { target: 'a' } } },
  ],
  policy: [{ on_violation: { branch: { target: 'a' } } }],
  model: [
    { tools: [{ name: 'a' }, { type: 'function', function: { name: 'b' } }] },
    { tools: [{ type: 'function', name: 'c', parameters: {} }] },
    { provider: 'openai', model: 'm', ...QUOTAS },
  ],
  function: [{ name: 'f', ...QUOTAS }],
  mcp_tool: [{ server: 's', tool: 't', ...QUOTAS }],
  java_fn: [
    { module: 'a', function: 'b' },
    { class_name: 'C', method: 'm', ...QUOTAS },
  ],
  memory_retrieval: [{ query: 'state.question' }],
  wait: [{ timeout_secs: 1 }, { until: '2030-01-31' }, { condition: 'timer' }],
};

const folder = new URL('../../../../examples/workflows/', import.meta.url);
const examples = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as JsonObject,
);

for (const { type, fields = {} } of NODE_KINDS) {
  test(`${type} has the fields that are read, and no others`, (t) => {
    const reads = new Set<string>();
    const kinds = recordKind(type, (path) => reads.add(path));
    for (const ir of examples) readWorkflow({ ir, kinds });
    for (const sample of SAMPLES[type] ?? []) {
      readWorkflow({
        ir: { workflow_id: 'w', nodes: { a: { kind: { type, ...sample } } } },
        kinds,
      });
    }
    // A map turns these into a separate node, whose parser reads them.
    const moved = type === 'map' ? ['workflow_version', 'output_mapping'] : [];
    const known = pathsOf({ type: 'object', properties: fields });
    // A model beside its provider is parsed like an entry of `models`; these of its fields are the
    // node's.
    const ofNode = type === 'model' ? ['retry_policy', 'timeout_secs'] : [];
    const read = [...reads].filter((path) => !isOpen(path, fields) && !ofNode.includes(path));
    const meant = known.filter(
      (path) => !moved.includes(path) && (reads.has(path) || !isNote(path)),
    );
    t.deepEqual(read.toSorted(), meant.toSorted());
  });
}

function recordKind(type: string, onRead: (path: string) => void): KindRegistry {
  return {
    ...builtInKinds,
    lookUp(name) {
      const kind = builtInKinds.lookUp(name);
      if (kind?.type !== type) return kind;
      return { ...kind, parse: (fields, at) => kind.parse(recordReads(fields, onRead), at) };
    },
  };
}

function isNote(path: string): boolean {
  return FOR_READERS.includes(path.split('.').at(-1) ?? '');
}

/** Only top-level fields: nested ones have a separate definition. */
function ownOf(reads: Iterable<string>): readonly string[] {
  return [...reads].filter((path) => !path.includes('.'));
}

function fieldsOf(schema: FieldSchema | undefined): readonly string[] {
  const properties = schema?.['properties'];
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/**
 * Every field of a schema by its path; it does not follow references, whose definitions are
 * separate.
 */
function pathsOf(schema: FieldSchema, path: readonly string[] = []): readonly string[] {
  const { properties, items, anyOf } = schema;
  const forms = Array.isArray(anyOf) ? anyOf.filter((form) => isJsonObject(form)) : [];
  return [
    ...new Set([
      ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, field]) => [
        [...path, name].join('.'),
        ...(isJsonObject(field) ? pathsOf(field, [...path, name]) : []),
      ]),
      ...(isJsonObject(items) ? pathsOf(items, [...path, '*']) : []),
      ...forms.flatMap((form) => pathsOf(form, path)),
    ]),
  ];
}

/** Whether a path is inside a field whose members are values, or a separate definition. */
function isOpen(path: string, fields: Readonly<Record<string, FieldSchema>>): boolean {
  const known = pathsOf({ type: 'object', properties: fields });
  const parts = path.split('.');
  if (parts.length === 1 || known.includes(path)) return false;
  const owner = parts.slice(0, -1).join('.').replace(/\.\*$/, '');
  return !known.some((one) => one.startsWith(`${owner}.`));
}
