import test from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Dialect } from '../support/database.ts';
import { startRuntime } from '../support/runtime.ts';
import { expectStatus } from '../support/tenant.ts';
import { openRetentionScene } from '../shared/engine/retention/retention-scene.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const fn = (name: string): JsonObject => ({
  kind: { type: 'python_fn', module: 'shop', function: name },
  output_key: name,
});
const ORDER: JsonObject = {
  workflow_id: 'order',
  nodes: { quote: fn('quote'), charge: fn('charge') },
  edges: [{ from: 'quote', to: 'charge' }],
};

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: diff says where two executions part, and what to do without the original`, async (t) => {
    const { database, seal, age } = await openRetentionScene(t, dialect);
    const runtime = await startRuntime({ databaseUrl: database.url });
    t.teardown(() => runtime.end('SIGTERM'));
    const tenant = await runtime.newTenant();
    const token = await tenant.makeToken('operator');
    const svc = (...args: string[]) =>
      runSvc(args, { cwd: folder.path, env: { SVC_URL: runtime.url, SVC_TOKEN: token } });
    const original = await tenant.run(ORDER, { currency: 'USD' });
    await tenant.work('quote', { price: 5 });
    await tenant.work('charge', { paid: 5 });
    await tenant.until(original, 'completed');
    const other = await tenant.start('order', { currency: 'EUR', coupon: null });
    await tenant.work('quote', { price: 4 });
    await tenant.work('charge', { paid: 5 });
    await tenant.until(other, 'completed');
    const forked = await tenant.post<{ readonly execution_id: string }>(
      `/executions/${original}/fork`,
      { at: 'charge' },
    );
    const fork = expectStatus(forked, 201).execution_id;

    const diff = await svc('execution', 'diff', original, other);
    t.is(diff.code, 0, diff.stderr);
    t.regex(diff.stdout, /^parts at +quote$/m);
    t.regex(diff.stdout, /^quote +0 +output +completed \{"price":5\} .*completed \{"price":4\}/m);
    t.regex(diff.stdout, /^\{"currency":"USD"\} +\{"currency":"EUR","coupon":null\}$/m);
    t.regex(diff.stdout, /^coupon +absent +null$/m);
    const data = await svc('execution', 'diff', other, original, '-o', 'json');
    const { state } = JSON.parse(data.stdout) as { readonly state: readonly JsonObject[] };
    t.deepEqual(
      state.map(({ key, absent_in: side }) => [key, side]),
      [
        ['currency', null],
        ['coupon', 'other'],
        ['quote', null],
      ],
    );
    const kept = await svc('execution', 'diff', original, fork);
    t.regex(kept.stdout, /^parts at +charge$/m);
    t.notRegex(kept.stdout, /^quote/m);

    await seal();
    await age(31);
    const removed = await runSvc(
      ['retention', 'run', '--older-than', '30d', '--database-url', database.url],
      { cwd: folder.path },
    );
    t.regex(removed.stdout, /^2 executions with .* removed$/m, removed.stderr);
    const missing = await svc('execution', 'diff', original, fork);
    t.is(missing.code, 4);
    t.true(
      missing.stderr.startsWith(
        `error: cannot compare: ${original} does not exist any more; retention may have removed it. ` +
          `Its fork ${fork} carries its state up to event 4; print that with: `,
      ),
      missing.stderr,
    );
    t.true(missing.stderr.endsWith(` execution state ${fork} --at 1\n`));
    t.is((await svc('execution', 'state', fork, '--at', '1')).code, 0);
    const unknown = await svc('execution', 'diff', other, fork);
    t.regex(unknown.stderr, /not found: execution .* list them with: .* execution list/);
  });
}
