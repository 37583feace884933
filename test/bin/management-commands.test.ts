import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc, type Outcome, type RunningSvc } from './run-svc.ts';

/* Schedules, webhooks and rules of starts of one `svc dev`, by its commands. */

const folder = createFolder();
const cwd = folder.path;
let url = '';
let dev: RunningSvc;

test.before(async (t) => {
  t.timeout(120_000);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = { SVC_WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true' };
  dev = startSvc(['dev', '--port', String(port)], { cwd, env });
  await dev.waitFor(/is running at/);
  const ir = { workflow_id: 'report', nodes: { only: { kind: 'pass' } } };
  writeFileSync(join(cwd, 'report.json'), JSON.stringify(ir));
  t.is((await svc('workflow', 'register', 'report.json')).code, 0);
});

test.after.always(async () => {
  await dev.stop();
  await folder.remove();
});

function svc(...args: string[]): Promise<Outcome> {
  return runSvc(args, { cwd, env: { SVC_URL: url } });
}

test('schedule: created, listed, triggered, paused, resumed and deleted', async (t) => {
  t.timeout(120_000);
  const made = await svc('schedule', 'create', 'nightly', 'report', '--cron', '30 2 * * *');
  t.regex(made.stdout, /^nightly fires next at \S+T02:30:00\.000Z\n$/, made.stderr);
  const listed = await svc('schedule', 'list');
  t.regex(listed.stdout, /nightly +report +30 2 \* \* \* \(UTC\)/);
  const trigger = () => svc('schedule', 'trigger', 'nightly', '--idempotency-key', 'once');
  const triggered = await trigger();
  t.regex(triggered.stdout, /^exec_\w+\n$/, triggered.stderr);
  t.is((await trigger()).stdout, triggered.stdout);
  t.is((await svc('schedule', 'pause', 'nightly')).stdout, 'nightly is paused\n');
  t.regex((await svc('schedule', 'show', 'nightly')).stdout, /paused +true/);
  t.regex((await svc('schedule', 'resume', 'nightly')).stdout, /^nightly fires next at /);
  t.is((await svc('schedule', 'delete', 'nightly')).stdout, 'deleted schedule nightly\n');
  const gone = await svc('schedule', 'show', 'nightly');
  t.is(gone.code, 4);
  t.regex(gone.stderr, /schedule nightly/);
});

test('schedule backfill: past fires are shown, started, and not started again', async (t) => {
  t.timeout(120_000);
  await svc('schedule', 'create', 'hourly', 'report', '--every', '1h', '--paused');
  const backfill = (...more: string[]) =>
    svc('schedule', 'backfill', 'hourly', '--from', '2026-01-01T00:30:00Z', ...more);
  const to = ['--to', '2026-01-01T03:00:00Z'];
  const foreseen = await backfill(...to, '--dry-run');
  t.regex(
    foreseen.stdout,
    /^2026-01-01T01:00:00.000Z {2}exec_\w+ {2}would start\n2026-01-01T02:00:00.000Z {2}exec_\w+ {2}would start\n$/,
    foreseen.stderr,
  );
  const started = await backfill(...to);
  t.is(started.stdout, foreseen.stdout.replaceAll('would start', 'started'));
  const again = await backfill(...to, '-o', 'json');
  t.is(again.stdout.match(/"existed"/g)?.length, 2);
  t.is((await backfill('--to', '2026-01-01T00:40:00Z')).stdout, 'no fires in this time\n');
  const future = await backfill('--to', '2999-01-01');
  t.is(future.code, 1);
  t.regex(future.stderr, /to must have passed/);
});

test('schedule preview: the next fires, and the problem of a wrong timing', async (t) => {
  t.timeout(120_000);
  const shown = await svc('schedule', 'preview', '--every', '12h', '--count', '3');
  t.regex(shown.stdout, /^(\d{4}-\d\d-\d\dT(00|12):00:00\.000Z\n){3}$/, shown.stderr);
  const wrong = await svc('schedule', 'preview', '--cron', '61 * * * *');
  t.is(wrong.code, 1);
  t.regex(wrong.stderr, /cannot be read/);
  t.is((await svc('schedule', 'preview', '--cron', '@daily', '--every', '1h')).code, 2);
});

test('webhook: created, its messages listed, sent again, and deleted', async (t) => {
  t.timeout(120_000);
  const receiver = await startReceiver();
  t.teardown(() => receiver.close());
  const made = await svc('webhook', 'create', receiver.url, '--event', 'execution.completed');
  t.regex(made.stdout, /^whsec_\S+\n$/, made.stderr);
  const [, id = ''] = /created webhook (\S+);/.exec(made.stderr) ?? [];
  t.regex((await svc('webhook', 'list')).stdout, new RegExp(`${id}.*execution\\.completed`));
  t.is((await svc('execution', 'start', 'report')).code, 0);
  const delivered = await eventually(
    async () => {
      const { stdout } = await svc('webhook', 'deliveries', id, '--limit', '5');
      if (!stdout.includes('delivered')) throw new Error(stdout);
      return stdout;
    },
    { withinMs: 60_000 },
  );
  const [message = ''] = /msg_\S+/.exec(delivered) ?? [];
  t.is((await svc('webhook', 'redeliver', id, message)).stdout, `${message} is sent again\n`);
  await eventually(() => {
    if (receiver.received.length < 2) throw new Error('nothing has come');
  });
  t.regex((await svc('webhook', 'delete', id)).stdout, /^deleted the webhook to http:/);
  t.is((await svc('webhook', 'deliveries', id)).code, 4);
});

test('start: --flow brings rules of flow control', async (t) => {
  t.timeout(120_000);
  const flow = JSON.stringify({ rate: { limit: 1, per: '1d' } });
  writeFileSync(join(cwd, 'flow.json'), flow);
  const first = await svc('execution', 'start', 'report', '--flow', flow, '--wait');
  t.is(first.code, 0, first.stderr);
  const { stdout } = await svc('execution', 'start', 'report', '--flow', '@flow.json');
  const explained = await svc('execution', 'explain', stdout.trim());
  t.regex(explained.stdout, /waits for its turn \(rate 1 per 86400 s\): number 1 in the queue/);
  const typo = await svc('execution', 'start', 'report', '--flow', '{"rates": {}}');
  t.deepEqual(
    [typo.code, typo.stderr],
    [2, 'error: --flow has rates, and may have concurrency, rate, debounce, batch, fairness\n'],
  );
});
