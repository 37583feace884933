import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

import { startFakeModelProvider } from '../../../support/servers/fake-model-provider.ts';

const SCRIPT = fileURLToPath(new URL('list-loaded-clients.ts', import.meta.url));

test('a process loads a provider’s client at its first call, and no other one', async (t) => {
  const provider = await startFakeModelProvider();
  t.teardown(() => provider.close());
  const given = { provider: 'anthropic', baseUrl: provider.baseUrls.anthropic };
  const run = await promisify(execFile)(process.execPath, [SCRIPT, JSON.stringify(given)]);
  t.deepEqual(JSON.parse(run.stdout), { atStart: [], ok: true, atCall: ['@ai-sdk/anthropic'] });
});
