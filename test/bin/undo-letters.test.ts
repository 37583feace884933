import test from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../support/database.ts';
import { startRuntime } from '../support/runtime.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const fn = (name: string): JsonObject => ({
  kind: { type: 'python_fn', module: 'trip', function: name },
  retry_policy: 'no_retry',
});
const TRIP: JsonObject = {
  workflow_id: 'trip',
  start_node: 'hotel',
  nodes: {
    hotel: {
      ...fn('book'),
      undo: { ...fn('cancel'), input_mapping: { booking: '$output.id' } },
    },
    car: fn('car'),
  },
  edges: [{ from: 'hotel', to: 'car' }],
};

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: the list of dead letters tells how an undo is requeued or given up`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const runtime = await startRuntime({ databaseUrl: database.url });
    t.teardown(() => runtime.end('SIGTERM'));
    const tenant = await runtime.newTenant();
    const env = { SVC_URL: runtime.url, SVC_TOKEN: await tenant.makeToken('operator') };
    const svc = (...args: string[]) => runSvc(args, { cwd: folder.path, env });
    const id = await tenant.run(TRIP);
    await tenant.work('hotel', { id: 'h1' });
    await tenant.breakDown('car', { error: 'no cars left' });
    const item = await tenant.breakDown('hotel.undo', { error: 'the desk is closed' });
    await tenant.untilEvent(id, 'NodeFailed', 'hotel.undo');

    for (const command of ['show', 'explain']) {
      const { stdout } = await svc('execution', command, id);
      t.regex(stdout, /^ends as +failed: node car failed: no cars left \(error\)$/m);
    }

    const listed = await svc('work-item', 'list', '--node', 'hotel.undo');
    t.is(listed.code, 0, listed.stderr);
    t.regex(listed.stdout, /hotel\.undo +trip\.cancel +1 .* the desk is closed$/m);
    t.regex(
      listed.stderr,
      /^hotel\.undo is to undo hotel: input \{"booking":"h1"\}, output of hotel \{"id":"h1"\};/m,
    );
    const { work_item_id: letter } = item as unknown as { readonly work_item_id: string };
    t.regex(listed.stderr, new RegExp(`work-item requeue ${letter}; .* cancel ${id}$`, 'm'));
    const wide = await svc('work-item', 'list', '-o', 'wide');
    const [head = '', row = ''] = wide.stdout
      .split('\n')
      .filter((line) => /UNDOES|desk/.test(line));
    t.regex(row.slice(head.indexOf('UNDOES')), /^hotel /);
    const shown = await svc('work-item', 'show', letter);
    t.is(shown.code, 0, shown.stderr);
    const told = shown.stdout.replaceAll(/\s+/g, ' ');
    t.regex(told, new RegExp(`^work item ${letter} execution ${id} running workflow trip `));
    t.true(told.includes(' attempts 1 of 1 error the desk is closed handled no '), told);
    t.true(told.includes(' input { "booking": "h1" } undoes hotel '), told);
    t.true(told.includes(' output of hotel { "id": "h1" } requeue '), told);
    t.regex(told, new RegExp(`requeue .*work-item requeue ${letter} give up .* cancel ${id} `));
    t.is((await svc('work-item', 'show', letter, '-o', 'ids')).stdout, `${letter}\n`);
    const stuck = (await svc('execution', 'explain', id)).stdout;
    t.regex(stuck, new RegExp(`^unblocked by +POST /work-items/${letter}/requeue, `, 'm'));
    t.is((await svc('work-item', 'requeue', letter)).code, 0);
    const gone = await svc('work-item', 'show', letter);
    t.is(gone.code, 4);
    t.regex(gone.stderr, /is not a dead letter: it is on its queue/);
    await tenant.breakDown('hotel.undo', { error: 'still closed' });
    await tenant.untilEvent(id, 'NodeFailed', 'hotel.undo');
    const cancelled = await svc('execution', 'cancel', id);
    t.is(cancelled.stdout, `${id} ends as failed when its undos and finalizers are done\n`);
    await tenant.until(id, 'failed');
    const ended = (await svc('execution', 'show', id)).stdout;
    t.regex(ended, /^error +node car failed: no cars left\nclass +error\nnode +car\n/m);
    t.regex(ended, /^undo +0 undone, not hotel: given up: still closed$/m);
    t.notRegex((await svc('work-item', 'list')).stderr, /is to undo/);
    const other = await tenant.run(TRIP);
    await tenant.work('hotel', { id: 'h2' });
    const tellCancel = async () => (await svc('execution', 'cancel', other)).stdout;
    t.is(await tellCancel(), `${other} ends as cancelled when its undos and finalizers are done\n`);
    await tenant.work('hotel.undo', {});
    await tenant.until(other, 'cancelled');
    t.is(await tellCancel(), `${other} is cancelled\n`);
  });
}
