import test from 'ava';

import { StoreUnavailableError } from '../../../../src/shared/store/store.ts';
import { TENANT } from '../../../support/engine.ts';
import { openInstallation } from './doctor-scene.ts';

/* Findings on both stores; the tests cause each fault for real. */

const work = {
  nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } },
  edges: [],
};
const waiting = {
  nodes: { a: { kind: { type: 'wait', condition: 'external_event' } } },
  edges: [],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a healthy installation has no findings`, async (t) => {
    const svc = await openInstallation(t, dialect);
    await svc.claim();
    await svc.start(waiting);
    await svc.settle();
    const { checks, stuck, stuckTotal } = await svc.ask();
    // The server of the tests is configured for speed, not for durability.
    const unsafe = dialect === 'postgres' ? ['durability', 'time-outs'] : [];
    const faults = checks.filter(({ verdict }) => verdict === 'warn' || verdict === 'fail');
    t.deepEqual(
      faults.map(({ name }) => name),
      unsafe,
    );
    t.is(new Set(checks.map(({ name }) => name)).size, checks.length);
    t.true(faults.every(({ advice }) => advice !== null));
    // It waits for a person, which is no fault.
    t.like(stuck[0], { code: 'awaiting_event', nodeId: 'a' });
    t.is(stuckTotal, 1);
  });

  test(`${dialect}: a migration that is pending, and a schema of a newer program`, async (t) => {
    const svc = await openInstallation(t, dialect);
    await svc.change('delete from schema_migrations where number > 9');
    const pending = await svc.ask();
    t.is(pending.verdict('migrations'), 'fail');
    t.regex(pending.check('migrations').seen, /^version 9 of .*pending: 10 artifacts/);
    t.is(pending.verdict('queues'), 'skipped');
    t.deepEqual(pending.stuck, []);

    const trouble = 'run a program of the newer version';
    const migrations = async () => ({ current: 0, latest: 0, pending: [], trouble });
    t.like((await svc.ask({ migrations })).check('migrations'), {
      verdict: 'fail',
      advice: trouble,
    });
  });

  test(`${dialect}: a clock that is ahead or behind`, async (t) => {
    const svc = await openInstallation(t, dialect);
    const ahead = await svc.ask({ localNow: () => Date.now() - 120_000 });
    t.is(ahead.verdict('clock'), 'fail');
    t.regex(ahead.check('clock').seen, /^the database is 1[12]\d{4} ms ahead of this process$/);
    const behind = await svc.ask({ localNow: () => Date.now() + 5_000 });
    t.like(behind.check('clock'), { verdict: 'warn' });
    t.regex(behind.check('clock').seen, /behind/);
  });

  test(`${dialect}: no scheduler, a silent one, and two versions at once`, async (t) => {
    const svc = await openInstallation(t, dialect);
    await svc.announce({ workerId: 'process-2', version: '2.0.0' });
    const mixed = await svc.ask();
    t.is(mixed.verdict('processes'), 'warn');
    t.regex(mixed.check('processes').seen, /^2 all; version .*2\.0\.0/);
    await svc.age({ table: 'workers', columns: ['last_heartbeat'], byMs: 120_000 });
    const silent = await svc.ask();
    t.is(silent.verdict('processes'), 'fail');
    t.regex(silent.check('processes').seen, /2 silent/);
  });

  test(`${dialect}: a queue without workers, and one that is too slow`, async (t) => {
    const svc = await openInstallation(t, dialect);
    await svc.start(work);
    const alone = await svc.ask();
    t.like(alone.check('queues'), { verdict: 'warn' });
    t.regex(alone.check('queues').seen, /^1 of 1 without workers: 1 in default\/python_tool/);
    t.is(alone.verdict('executions'), 'warn');
    t.is(alone.stuck[0]?.code, 'no_worker_for_queue');

    await svc.claim('worker-1');
    await svc.start(work);
    t.is((await svc.ask()).verdict('queues'), 'ok');
    await svc.age({ table: 'work_queue', columns: ['enqueued_at'], byMs: 3_600_000 });
    t.like((await svc.ask()).check('queues'), { verdict: 'warn', advice: 'start more workers' });
  });

  test(`${dialect}: leases, timers and retries that nobody sees to`, async (t) => {
    const svc = await openInstallation(t, dialect);
    const retry_policy = { max_attempts: 3, initial_delay: 600 };
    await svc.start({ nodes: { a: { ...work.nodes.a, retry_policy } }, edges: [] });
    await svc.fail((await svc.claim())[0]);
    await svc.settle();
    await svc.start(work);
    await svc.claim();
    const timer = { kind: { type: 'wait', condition: 'timer', timeout_secs: 60 } };
    await svc.start({ nodes: { a: timer }, edges: [] });
    const before = await svc.ask();
    for (const name of ['leases', 'timers', 'retries']) t.is(before.verdict(name), 'ok');
    const byMs = 3_600_000;
    await svc.age({ table: 'work_leases', columns: ['expires_at'], byMs });
    await svc.age({ table: 'timers', columns: ['due_at'], byMs });
    await svc.age({ table: 'retry_timers', columns: ['due_at'], byMs });
    const after = await svc.ask();
    for (const name of ['leases', 'timers', 'retries']) {
      t.is(after.verdict(name), 'fail');
      t.regex(after.check(name).seen, /^1 /);
    }
    t.is(after.verdict('executions'), 'warn');
  });

  test(`${dialect}: workflows that are paused, for how long, and those that nobody sees to`, async (t) => {
    const svc = await openInstallation(t, dialect);
    t.like((await svc.ask()).check('paused workflows'), { verdict: 'ok', seen: 'none' });
    const of = { tenantId: TENANT, actorId: 'token:ops', workflowId: 'checkout' };
    await svc.engine.registerWorkflow({ ...of, ir: { workflow_id: 'checkout', nodes: {} } });
    await svc.engine.pauseWorkflow({ ...of, reason: null });
    const columns = ['paused_at'];
    await svc.age({ table: 'workflow_pauses', columns, byMs: 600_000 });
    const late = (await svc.ask()).check('paused workflows');
    t.is(late.verdict, 'warn');
    t.is(late.seen, 'default/checkout by token:ops for 10 min: not all of it held yet');
    await svc.age({ table: 'workers', columns: ['last_heartbeat'], byMs: 120_000 });
    t.is((await svc.ask()).verdict('paused workflows'), 'fail');
    await svc.announce();
    await svc.settle();
    t.like((await svc.ask()).check('paused workflows'), {
      verdict: 'ok',
      seen: '1, the longest default/checkout by token:ops for 10 min',
    });
    await svc.age({ table: 'workflow_pauses', columns, byMs: 30 * 3_600_000 });
    const old = (await svc.ask()).check('paused workflows');
    t.like(old, { verdict: 'warn', advice: 'if that was forgotten: svc workflow resume' });
    await svc.engine.resumeWorkflow(of);
    t.is((await svc.ask()).verdict('paused workflows'), 'ok');
    await svc.age({ table: 'workflow_pauses', columns: ['resumed_at'], byMs: 600_000 });
    t.regex((await svc.ask()).check('paused workflows').seen, /not all given back yet$/);
    await svc.settle();
    t.is((await svc.ask()).check('paused workflows').seen, 'none');
  });

  test(`${dialect}: dead letters, tokens that end soon, keys that are missing, an audit log unsealed`, async (t) => {
    const svc = await openInstallation(t, dialect);
    const { store } = svc;
    await svc.start(work);
    await svc.complete((await svc.claim())[0], { leaseFence: null });
    const by = { tenantId: TENANT, actorId: 'token:test' };
    const token = { ...by, name: 'ci', role: 'viewer' as const, expiresInMs: 3_600_000 };
    await store.tokens.create({ ...token, tokenId: 'tok-1', hash: 'a'.repeat(64) });
    const key = { keyId: 'key-9', box: 'c2VhbGVk' };
    await store.memory.saveSettings({ ...by, provider: 'openai', key, enabled: true });
    const { check, verdict } = await svc.ask({
      limits: { unsealedMs: { warn: 0, fail: 3_600_000 } },
    });
    t.like(check('dead letters'), { verdict: 'warn', seen: '1, 1 of the last day' });
    t.regex(check('tokens').seen, /1 ending within a week/);
    t.is(verdict('tokens'), 'warn');
    t.is(verdict('encryption keys'), 'fail');
    t.regex(check('encryption keys').seen, /key-9/);
    t.is(verdict('audit sealing'), 'warn');
    const known = await svc.ask({ setup: { connectionsPerProcess: 20, keyIds: ['key-9'] } });
    t.is(known.verdict('encryption keys'), 'ok');
  });

  test(`${dialect}: executions that cannot continue without repair, the oldest of many`, async (t) => {
    const svc = await openInstallation(t, dialect);
    const ids = [];
    for (let started = 0; started < 3; started += 1) ids.push(await svc.start(waiting));
    await svc.settle();
    const { stuck, stuckTotal, verdict } = await svc.ask();
    t.deepEqual(
      stuck.map(({ executionId }) => executionId),
      ids.slice(0, 2),
    );
    t.is(stuckTotal, 3);
    t.is(verdict('executions'), 'ok');
    await svc.start(work);
    await svc.change('delete from work_queue');
    const broken = await svc.ask();
    t.is(broken.verdict('executions'), 'fail');
    t.regex(broken.check('executions').seen, /^4 live.*has no queue/);
  });

  test(`${dialect}: tables that cannot be read are no reason to tell nothing`, async (t) => {
    const svc = await openInstallation(t, dialect);
    const diagnosis = {
      ...svc.store.diagnosis,
      installationFacts: async () => {
        throw new StoreUnavailableError('gone', { ambiguous: false });
      },
    };
    const { check, verdict } = await svc.ask({ diagnosis });
    t.is(verdict('database'), 'ok');
    t.like(check('queues'), { verdict: 'skipped', seen: 'gone' });
  });
}
