import { onBothStores } from '../support/both-stores.ts';

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };

interface Finding {
  readonly pointer: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
}

interface Validated {
  readonly valid: boolean;
  readonly problems: readonly Finding[];
  readonly warnings: readonly (Finding & { readonly code: string })[];
  readonly definition: {
    readonly workflow_id: string;
    readonly version: string;
    readonly ir_hash: string;
    readonly registration: string;
    readonly revision: number;
  } | null;
}

check('200: a text that cannot run has each problem with its line and column', async (t, svc) => {
  const yaml = 'workflow_id: w\nnodes:\n  a:\n    kind: nap\n  b: {}\nstart_node: zzz\n';
  const json = '{\n  "workflow_id": "w",\n  "nodes": {"a": {"kind": "nap"}}\n}';
  const read = async (text: string) => {
    const { status, body } = await svc.post<Validated>('/workflows/validate', { text });
    t.is(status, 200);
    t.false(body.valid);
    t.is(body.definition, null);
    return body.problems;
  };
  const kind = { pointer: '/nodes/a/kind', message: 'unknown kind "nap"' };
  const inYaml = await read(yaml);
  t.like(inYaml[0], { ...kind, line: 4, column: 11 });
  t.like(inYaml.find(({ pointer }) => pointer === '/start_node') ?? { line: 6 }, { line: 6 });
  t.like((await read(json))[0], { ...kind, line: 3, column: 27 });
  t.like((await read(`ir:\n  workflow_id: w\n  nodes:\n    a: {kind: nap}\n`))[0], {
    ...kind,
    line: 4,
  });
  return inYaml;
});

check('200: a text that is no document says where it ends being one', async (t, svc) => {
  const read = async (body: object) =>
    (await svc.post<Validated>('/workflows/validate', body)).body.problems;
  const [json] = await read({ text: '{\n  "workflow_id": }' });
  t.like(json, { pointer: '', line: 2, column: 18 });
  t.regex(json?.message ?? '', /^is not JSON: /);
  const [yaml] = await read({ text: 'a: [1\nb: 2', format: 'yaml' });
  t.is(yaml?.line, 2);
  t.regex(yaml?.message ?? '', /^is not YAML: /);
  t.like((await read({ text: '[1]' }))[0], { message: 'ir must be an object', line: 1 });
  const [deep] = await read({ text: '['.repeat(200_000), format: 'yaml' });
  t.regex(deep?.message ?? '', /^is not YAML: /);
});

check(
  '200: a valid definition says what a registration would do, and nothing is stored',
  async (t, svc) => {
    const read = async (ir: object) => {
      const { status, body } = await svc.post<Validated>('/workflows/validate', { ir });
      t.is(status, 200);
      t.true(body.valid);
      return body.definition;
    };
    const ir = { workflow_id: 'w', version: '1', nodes: { a: call } };
    t.like(await read(ir), { workflow_id: 'w', registration: 'new_workflow', revision: 1 });
    t.is((await svc.get('/workflows/w')).status, 404);
    const registered = await svc.post<{ ir_hash: string }>('/workflows', { ir });
    const same = await read(ir);
    t.like(same, { registration: 'unchanged', revision: 1, ir_hash: registered.body.ir_hash });
    const changed = { ...ir, nodes: { a: call, b: {} }, start_node: 'a' };
    t.like(await read(changed), { registration: 'new_revision', revision: 2 });
    t.like(await read({ ...ir, version: '2' }), { registration: 'new_version', revision: 1 });
    t.is((await svc.get<{ revision: number }>('/workflows/w')).body.revision, 1);
    return same;
  },
);

check('200: warnings and faults of schemas carry their places', async (t, svc) => {
  const text = 'workflow_id: w\nnoodes: 1\nnodes: {}\nstate_schema: {required: x}\n';
  const { body } = await svc.post<Validated>('/workflows/validate', { text });
  t.like(body.warnings[0], { code: 'unknown_field', pointer: '/noodes', line: 2 });
  t.like(body.problems[0], { pointer: '/state_schema', line: 4 });
});

check('400: neither a definition nor a text, both, or a format without meaning', async (t, svc) => {
  const ir = { workflow_id: 'w' };
  for (const body of [{}, { ir, text: 'a' }, { ir: [] }, { text: 'a', format: 'toml' }]) {
    t.is((await svc.post('/workflows/validate', body)).status, 400);
  }
  t.is((await svc.post('/workflows/validate', { text: 'a'.repeat(262_145) })).status, 400);
});
