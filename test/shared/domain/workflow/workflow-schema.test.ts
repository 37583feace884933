import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { workflowSchema } from '../../../../src/shared/domain/workflow/schema/workflow-schema.ts';
import { NODE_KINDS } from '../../../../src/shared/nodes/index.ts';

/* The schema for editors: it accepts every valid definition, and marks likely mistakes. */

const schema = workflowSchema(NODE_KINDS);
const validate = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(
  schema,
);

function faults(ir: unknown): readonly string[] {
  if (validate(ir)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

const folder = new URL('../../../../examples/', import.meta.url);
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /workflow.*\.json$/.test(file))
  .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const);
const page = readFileSync(new URL('../../../../docs/reference/ir.md', import.meta.url), 'utf8');
const inDocs = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
  ([, text = ''], index) => [`docs/reference/ir.md, block ${index + 1}`, text] as const,
);

for (const [name, text] of [...examples, ...inDocs]) {
  test(`valid: ${name}`, (t) => t.deepEqual(faults(JSON.parse(text)), []));
}

const node = (of: JsonObject) => ({ workflow_id: 'w', nodes: { a: of } });

for (const [title, ir] of Object.entries<JsonObject>({
  'null is the same as nothing': {
    workflow_id: 'w',
    version: null,
    name: null,
    nodes: { a: { kind: null, retry_policy: null, input_mapping: null, node_timeout_secs: null } },
    edges: null,
    tools: null,
    timeouts: null,
    token_budget: null,
    on_budget_exceeded: null,
  },
  'a kind as text with its fields beside it': node({ kind: 'wait', timeout_secs: 2 }),
  'a type in place of a kind': node({ type: 'python_tool', module: 'm', function: 'f' }),
  'fields of every node inside a kind': node({
    kind: { type: 'pass', retry_policy: 'no_retry', timeout_secs: '3s' },
  }),
  'a node inside a map': node({
    kind: { type: 'map', items: '$.xs', node: { kind: { type: 'pass', output: '$.x' } } },
  }),
  'a reference to this schema': { $schema: './workflow.schema.json', workflow_id: 'w' },
})) {
  test(`valid: ${title}`, (t) => t.deepEqual(faults(ir), []));
}

for (const [title, ir] of Object.entries<JsonObject>({
  'no id': { nodes: {} },
  'a name that nothing reads': { workflow_id: 'w', node: {} },
  'a misspelt field of a node': node({ kind: 'pass', retry_polcy: 'no_retry' }),
  'a misspelt field of a kind': node({ kind: { type: 'wait', timeout_sec: 2 } }),
  'a misspelt branch': node({
    kind: { type: 'condition', branches: [{ conditon: 'state.x', target: 'a' }] },
  }),
  'a field of another kind': node({ type: 'pass', module: 'm' }),
  'a kind that does not exist': node({ kind: 'pas' }),
  'a misspelt field of a node inside a map': node({
    kind: { type: 'map', items: '$.xs', node: { kind: { type: 'pass', outputs: 1 } } },
  }),
  'a duration without unit': { workflow_id: 'w', timeouts: { node_timeout: '3' } },
  'a misspelt key of an edge': { workflow_id: 'w', edges: [{ from: 'a', too: 'b' }] },
})) {
  test(`marked: ${title}`, (t) => t.not(faults(ir).length, 0));
}

test('every schema says what it is for, so that editors can', (t) => {
  const silent: string[] = [];
  const look = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'properties' && !path.includes('/allOf/')) {
        for (const [name, field] of Object.entries(inner as Record<string, JsonObject>)) {
          if (field['description'] === undefined) silent.push(`${path}/${name}`);
        }
      }
      look(inner, `${path}/${key}`);
    }
  };
  look(schema['$defs'], '');
  t.deepEqual(silent, []);
});
