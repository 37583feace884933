import { randomBytes } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';

import { createIds } from '../../../../src/shared/clients/system-ids.ts';
import { walkReferences } from '../../../../src/shared/domain/artifact-reference.ts';
import { mergePatch } from '../../../../src/shared/domain/execution/merge-patch.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import {
  INLINE_BYTES_MAX,
  isLarge,
  offloadResult,
  type ResultUse,
} from '../../../../src/shared/engine/artifacts/offload.ts';
import { resolveReferences } from '../../../../src/shared/engine/artifacts/resolve.ts';
import { writeArtifact } from '../../../../src/shared/engine/artifacts/write-artifact.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';
import { makeTenantId } from '../../store/contract/make.ts';

const test = anyTest as TestFn<TestStore>;
const ids = createIds({ now: Date.now, randomBytes });
const KIB = 1024;
const NOTHING = {
  keys: new Set<string>(),
  outputItself: false,
  stateItself: false,
  ends: new Set<string>(),
};
const USE: ResultUse = { outputKey: 'out', looks: NOTHING };

test.before(async (t) => {
  t.context = await openTestStore('sqlite');
});
test.after.always((t) => t.context.close());

test('the bound is one of bytes', (t) => {
  t.false(isLarge('x'.repeat(INLINE_BYTES_MAX)));
  t.true(isLarge('x'.repeat(INLINE_BYTES_MAX + 1)));
  t.false(isLarge('你'.repeat(INLINE_BYTES_MAX / 3)));
  t.true(isLarge('你'.repeat(INLINE_BYTES_MAX / 3 + 1)));
});

test('the largest members of an output are offloaded, the others stay visible', async (t) => {
  const output = { status: 'ok', page: text(200 * KIB), list: [text(20 * KIB)] };
  const { lean, whole } = await there(t.context, { output });
  t.like(lean.output, { status: 'ok', list: output.list });
  t.like((lean.output as typeof output).page, {
    size: 200 * KIB + 2,
    content_type: 'application/json',
    inline: true,
  });
  t.deepEqual(whole.output, output);
});

test('an output of many small members goes as a whole, and so do texts and lists', async (t) => {
  const members = Array.from({ length: 5_000 }, (_, index) => [`k${index}`, text(20)]);
  for (const output of [Object.fromEntries(members) as JsonObject, text(80 * KIB), many(9_000)]) {
    const { lean, whole } = await there(t.context, { output });
    t.like(lean.output, { inline: true });
    t.deepEqual(whole.output, output);
  }
});

test('texts and lists of a patch are offloaded, and its objects are left to be merged', async (t) => {
  const patch = { deep: { er: { list: many(9_000), gone: null, small: 1 } }, text: text(90 * KIB) };
  const { lean, whole } = await there(t.context, { output: {}, state_patch: patch });
  t.like(lean.state_patch, { deep: { er: { gone: null, small: 1 } } });
  t.is(countReferences(lean.state_patch ?? {}), 2);
  t.deepEqual(whole.state_patch, patch);
});

test('a result is never larger than the bound, but for the objects of a patch', async (t) => {
  for (const sizes of [[70], [40, 30], [33, 33, 2], [1, 2, 3, 80], [65, 64, 63]]) {
    const values = sizes.map((size, index) => [`k${index}`, text(size * KIB)] as const);
    const members = Object.fromEntries(values);
    const { lean } = await there(t.context, { output: members, state_patch: members });
    t.true(JSON.stringify(lean).length <= INLINE_BYTES_MAX, sizes.join());
  }
});

test('a result with references of clients is offloaded around them', async (t) => {
  const reference = { $artifact: `sha256:${'c'.repeat(64)}`, size: 1, content_type: 'a/b' };
  const output = { file: reference, page: text(100 * KIB) };
  const { lean, whole } = await there(t.context, { output, state_patch: { file: reference } });
  t.like(lean, { output: { file: reference }, state_patch: { file: reference } });
  t.deepEqual(whole.output, output);
});

test('a value that expressions look into stays, in any place', async (t) => {
  const output = { page: text(80 * KIB), rows: many(9_000), more: text(90 * KIB) };
  const keys = new Set(['rows', 'page']);
  const use = { ...USE, looks: { ...NOTHING, keys } };
  const patch = { deep: { page: output.page, list: output.rows }, more: output.more };
  const { lean, whole } = await there(
    t.context,
    { output, state_patch: patch },
    makeTenantId(),
    use,
  );
  t.like(lean.output, { page: output.page, rows: output.rows, more: { inline: true } });
  t.like(lean.state_patch, { deep: { page: output.page } });
  t.is(countReferences(lean.state_patch ?? {}), 2);
  t.deepEqual(whole, { output, state_patch: patch });
});

test('an output that expressions look into does not go as a whole', async (t) => {
  const output = Object.fromEntries(many(9_000).map((number) => [`k${number}`, number]));
  for (const looks of [
    { ...NOTHING, outputItself: true, stateItself: false, ends: new Set<string>() },
    { ...NOTHING, keys: new Set(['out']) },
    { ...NOTHING, keys: new Set(['k1000000']) },
  ]) {
    const { lean } = await there(t.context, { output }, makeTenantId(), { ...USE, looks });
    t.deepEqual(lean.output, output);
  }
});

test('offloading again writes nothing', async (t) => {
  const { store, contents } = t.context;
  const tenantId = makeTenantId();
  const result = { visit: 0, output: { page: text(100 * KIB) } };
  const first = await offloadResult({ store, ids }, { tenantId, result, use: USE });
  const rows = async () => {
    const { artifacts = [], artifact_chunks: chunks = [] } = await contents();
    return [...artifacts, ...chunks].filter((row) => row.includes(tenantId)).length;
  };
  t.is(await rows(), 2);
  t.deepEqual(await offloadResult({ store, ids }, { tenantId, result, use: USE }), first);
  t.is(await rows(), 2);
});

test('a read gives the same value as without offloading, after any patches', async (t) => {
  const tenantId = makeTenantId();
  const output = { page: { a: text(80 * KIB), b: { c: 1 } }, list: many(9_000) };
  const { lean } = await there(t.context, { output }, tenantId);
  let [kept, inline]: JsonObject[] = [{ out: lean.output }, { out: output }];
  for (const patch of [
    { out: { page: { b: null, d: { e: [1] } } } },
    { out: { page: { b: { f: 2 } }, list: { g: 3 } } },
    { out: { page: { d: null } }, other: 1 },
  ]) {
    kept = mergePatch(kept ?? {}, patch);
    inline = mergePatch(inline ?? {}, patch);
    t.is(countReferences(kept), 2);
    t.deepEqual(await resolve(t.context, tenantId, kept), inline);
  }
});

test('an offloaded value within an offloaded value is read whole', async (t) => {
  const tenantId = makeTenantId();
  const { lean } = await there(t.context, { output: { page: text(70 * KIB) } }, tenantId);
  const outer = { history: [...many(9_000), lean.output] };
  const { lean: again } = await there(t.context, { output: outer }, tenantId);
  const whole = (await resolve(t.context, tenantId, again.output)) as typeof outer;
  t.is(countReferences(again.output), 1);
  t.is(countReferences(whole), 0);
  t.is((whole.history.at(-1) as { page: string }).page.length, 70 * KIB);
});

test('beyond its bound an answer keeps the references', async (t) => {
  const { store } = t.context;
  const tenantId = makeTenantId();
  const { lean } = await there(t.context, { output: { page: text(70 * KIB) } }, tenantId);
  const { page = null } = lean.output as JsonObject;
  const values = [{ one: page, other: page }, page] as const;
  const of = { tenantId, values };
  const resolved = await resolveReferences(store.artifacts, { ...of, bytesMax: 150 * KIB });
  t.deepEqual(resolved.map(countReferences), [0, 1]);
  const none = await resolveReferences(store.artifacts, { ...of, bytesMax: 60 * KIB });
  t.deepEqual(none, values);
});

test('a reference of a client, of another tenant, or to no JSON stays one', async (t) => {
  const { store } = t.context;
  const tenantId = makeTenantId();
  const { lean } = await there(t.context, { output: { page: text(70 * KIB) } });
  const { hash } = await writeArtifact(
    { store: store.artifacts, ids },
    {
      tenantId,
      contentType: 'text/plain',
      content: [Buffer.from('no JSON')],
      bytesMax: KIB,
      actorId: null,
    },
  );
  const values = [
    { $artifact: `sha256:${hash}`, size: 7, content_type: 'text/plain' },
    { $artifact: `sha256:${hash}`, inline: true },
    { $artifact: 'nonsense', inline: true, patches: 7 },
    lean.output,
  ];
  t.deepEqual(await resolveReferences(store.artifacts, { tenantId, values }), values);
});

/** A result that is offloaded, and read again. */
async function there(
  { store }: TestStore,
  result: { readonly output: JsonValue; readonly state_patch?: JsonObject },
  tenantId: TenantId = makeTenantId(),
  use: ResultUse = USE,
) {
  const lean = await offloadResult(
    { store, ids },
    { tenantId, result: { visit: 0, ...result }, use },
  );
  const values = [lean.output, lean.state_patch ?? null] as const;
  const [output, patch] = await resolveReferences(store.artifacts, { tenantId, values });
  return { lean, whole: { output, state_patch: patch } };
}

async function resolve({ store }: TestStore, tenantId: TenantId, value: JsonValue) {
  const values = [value] as const;
  const [resolved] = await resolveReferences(store.artifacts, { tenantId, values });
  return resolved;
}

function countReferences(value: JsonValue): number {
  let count = 0;
  walkReferences(value, () => (count += 1));
  return count;
}

function text(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}

function many(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => 1e6 + index);
}
