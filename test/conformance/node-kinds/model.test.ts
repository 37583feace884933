import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import test from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../../support/database.ts';
import {
  MODEL_PROVIDER_WORDS,
  startFakeModelProvider,
} from '../../support/servers/fake-model-provider.ts';
import { startRuntime } from '../../support/runtime.ts';
import { readTables } from '../../support/stores.ts';

/* Models as an operator configures them, in a real process. */

const KEYS = { openai: 'sk-canary-openai-1', acme: 'sk-canary-acme-2' };
const EXAMPLE = fileURLToPath(new URL('../../../examples/workflows/model.json', import.meta.url));

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: providers of the environment are asked, and keys stay with them`, async (t) => {
    t.timeout(120_000);
    const provider = await startFakeModelProvider();
    const database = await createTestDatabase(dialect);
    const runtime = await startRuntime({
      databaseUrl: database.url,
      env: {
        SVC_LOG_LEVEL: 'trace',
        OPENAI_API_KEY: KEYS.openai,
        OPENAI_BASE_URL: provider.baseUrls.openai,
        ACME_MODELS_API_KEY: KEYS.acme,
        ACME_MODELS_BASE_URL: `${provider.url}/acme`,
        OLLAMA_BASE_URL: provider.url,
      },
    });
    const svc = await runtime.newTenant();
    const { workflow_id: _, ...ir } = JSON.parse(readFileSync(EXAMPLE, 'utf8')) as JsonObject;

    provider.answer('gpt-5-mini', { text: '{"team":"support","urgent":false}' });
    const sorted = await svc.until(await svc.run(ir, { message: 'Thanks!' }), 'completed');
    t.is(sorted.state['handled_by'], 'a person, later');

    const ask = (model: JsonObject) => ({
      nodes: { ask: { kind: { type: 'model', model, prompt: 'Hi', stream: true } } },
    });
    const acme = await svc.run(ask({ provider: 'acme-models', model: 'rocket' }), {});
    await svc.until(acme, 'completed');
    t.like(provider.requestsFor('rocket')[0], { path: '/acme/chat/completions' });
    t.true((await svc.story(acme)).includes('NodeProgress ask'));
    await svc.until(await svc.run(ask({ provider: 'ollama', model: 'llama' }), {}), 'completed');
    t.is(provider.requestsFor('llama')[0]?.headers.authorization, undefined);

    provider.answer('refused', { status: 400 });
    const refused = await svc.run(ask({ provider: 'openai', model: 'refused' }), {});
    await svc.until(refused, 'failed');
    const events = JSON.stringify(await svc.events(refused));
    t.true(events.includes('provider openai answered 400'));

    for (const [model, key] of [
      ['gpt-5-mini', KEYS.openai],
      ['rocket', KEYS.acme],
    ] as const) {
      t.is(provider.requestsFor(model)[0]?.headers.authorization, `Bearer ${key}`);
    }
    const code = await runtime.end('SIGTERM');
    const written = JSON.stringify(await readTables(database.url)) + runtime.stdout();
    await database.drop();
    await provider.close();
    t.is(code, 0);
    t.deepEqual(runtime.errors(), []);
    for (const words of [...Object.values(KEYS), MODEL_PROVIDER_WORDS]) {
      t.false(written.includes(words) || runtime.stderr().includes(words), words);
    }
  });
}
