import test from 'ava';
import { createClient, ValidationError } from 'svc-sdk/client';

import { answer, startScriptedServer } from './support/scripted-server.ts';

test('input that is no JSON is an error that names the place, and nothing is sent', async (t) => {
  const server = await startScriptedServer(answer(201, { execution_id: 'exec_1' }));
  t.teardown(() => server.close());
  const client = createClient({ url: server.url });
  const error = await t.throwsAsync(client.start('order', { items: [{ total: 1n }] }), {
    instanceOf: ValidationError,
  });
  t.like(error, {
    code: 'not_json',
    status: null,
    message:
      'The request is not JSON, and was not sent: ' +
      'input.items[0].total is a BigInt; use text or a number',
  });
  const signal = client.execution('exec_1').signal('paid', { at: new Date(Number.NaN) as never });
  await t.throwsAsync(signal, {
    instanceOf: ValidationError,
    message: /payload\.at is an invalid/,
  });
  t.is(server.seen.length, 0);
  await client.start('order', { at: new Date(0) });
  t.like(JSON.parse(server.seen[0]?.body ?? ''), { input: { at: '1970-01-01T00:00:00.000Z' } });
});
