import test, { type ExecutionContext } from 'ava';

import { inlineReference } from '../../../../src/shared/domain/artifact-reference.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { writeArtifact } from '../../../../src/shared/engine/artifacts/write-artifact.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Clients may write references like the engine's, to anything that they have uploaded. */

const PYTHON = { nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = openTestEngine({ store });
    const upload = async (text: string): Promise<JsonObject> =>
      inlineReference(
        await writeArtifact(
          { store: store.artifacts, ids: svc.ids },
          {
            tenantId: TENANT,
            contentType: 'application/json',
            content: [Buffer.from(text)],
            bytesMax: 1_000_000,
            actorId: 'token:t',
          },
        ),
      );
    const show = async (value: JsonObject) => {
      const executionId = await svc.start(PYTHON, { value });
      const [item] = await svc.claim();
      const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
      return { read: state.data['value'], claimed: item?.record.payload['input'] };
    };
    return { upload, show };
  };

  test(`${dialect}: a value nested too deep to be walked stays a reference`, async (t) => {
    const { upload, show } = await open(t);
    const deep = await upload('['.repeat(50_000) + ']'.repeat(50_000));
    t.deepEqual(await show(deep), { read: deep, claimed: { value: deep } });
    const patched = { ...(await upload('{}')), patches: [{ deep }] };
    t.deepEqual((await show(patched)).read, { deep });
  });

  test(`${dialect}: contents in contents come to an end`, async (t) => {
    const { upload, show } = await open(t);
    let chain: JsonObject = {};
    for (let level = 0; level < 300; level += 1) chain = await upload(JSON.stringify([chain]));
    const { read, claimed } = await show(chain);
    t.deepEqual(claimed, { value: read });
    const text = JSON.stringify(read);
    t.true(text.startsWith('[[[') && text.includes('$artifact'), text.slice(0, 200));
  });
}
