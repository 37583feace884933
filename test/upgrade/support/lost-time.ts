import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runSvc } from '../../bin/run-svc.ts';
import { eventually } from '../../support/eventually.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import type { WorkItem } from '../../support/wire.ts';

/*
 * A database goes back to a moment T. Clients and workers hold things of the time before, which the
 * restore keeps, and of the time after, which it loses. `begin` and `lose` run on either side of T,
 * and `check` runs on the restored database.
 */

const HELD = 4;
/** More fences than the restored server draws before the workers of the lost time come back. */
const LOST = 60;
/** More than an event holds, so that it becomes an artifact. */
const LARGE = 'x'.repeat(100_000);
const HOLDING = {
  workflow_id: 'holding',
  nodes: {
    hold: {
      kind: 'java_fn',
      class_name: 'Held',
      method: 'hold',
      output_key: 'held',
      retry_policy: { max_attempts: 20, initial_delay: 0 },
    },
  },
};
const WAITING = {
  workflow_id: 'waiting',
  nodes: { wait: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
};
const SLEEPING = {
  workflow_id: 'sleeping',
  nodes: { sleep: { kind: { type: 'wait', condition: 'timer', timeout_secs: 4 } } },
};

export interface LostTime {
  readonly ended: readonly string[];
  readonly waiting: string;
  readonly sleeping: string;
  readonly artifact: string;
  /** Claimed before T, and completed after it. */
  readonly held: readonly WorkItem[];
  /** Claimed after T, and completed. */
  readonly lost: WorkItem[];
  lostArtifact: string;
}

export async function begin(svc: TestTenant): Promise<LostTime> {
  for (const ir of [HOLDING, WAITING, SLEEPING]) await svc.register(ir);
  const items = await claimNew(svc, HELD + 2);
  const ended = items.slice(0, 2);
  for (const item of ended) {
    expectStatus(await svc.complete(item, { text: LARGE, fence: item.lease_fence }), 200);
  }
  return {
    ended: ended.map(({ execution_id: id }) => id),
    waiting: await svc.start('waiting'),
    sleeping: await svc.start('sleeping'),
    artifact: await upload(svc, 'kept'),
    held: items.slice(2),
    lost: [],
    lostArtifact: '',
  };
}

export async function lose(svc: TestTenant, scene: LostTime): Promise<void> {
  scene.lost.push(...(await claimNew(svc, LOST)));
  scene.lostArtifact = await upload(svc, 'lost');
  await svc.deliver(scene.waiting, 'go');
  const [cancelled, ...others] = scene.held;
  if (cancelled !== undefined) expectStatus(await svc.cancel(cancelled.execution_id), 200);
  for (const item of [...others, ...scene.lost]) {
    expectStatus(await svc.complete(item, { fence: item.lease_fence }), 200);
  }
}

/** Returns the faults that it finds. All executions of the scene end. */
export async function check(
  svc: TestTenant,
  { scene, url }: { readonly scene: LostTime; readonly url: string },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) faults.push(`${what}: ${String(found)}, not ${String(wanted)}`);
  };

  for (const item of scene.lost) {
    expect('a worker of a lost execution', (await svc.complete(item)).status, 404);
  }
  // Each item that was held at T now has two holders, and only the new one settles it.
  const again = await claimAgain(svc, scene.held);
  const highest = Math.max(...[...scene.held, ...scene.lost].map((item) => item.lease_fence));
  for (const item of scene.held) {
    const holder = again.get(item.id);
    if (holder === undefined) throw new Error(`nobody claims ${item.id} again`);
    expect('a fence above all of the lost time', holder.lease_fence > highest, true);
    expect('the key of the second call', holder.idempotency_key, item.idempotency_key);
    expect('a stale completion', (await svc.complete(item, { fence: 0 })).status, 409);
    expect('a stale failure', (await svc.fail(item)).status, 409);
    const done = await svc.complete(holder, { fence: holder.lease_fence });
    expect('the holder', done.status, 200);
    const { status, state } = await svc.read(item.execution_id);
    expect('an execution that was held', status, 'completed');
    expect('its result', JSON.stringify(state['held']), `{"fence":${holder.lease_fence}}`);
  }

  expect('an execution that waits', (await svc.read(scene.waiting)).status, 'paused');
  await svc.deliver(scene.waiting, 'go');
  await svc.until(scene.waiting, 'completed');
  await svc.until(scene.sleeping, 'completed');
  for (const id of scene.ended) {
    const { status, state } = await svc.read(id);
    expect('an execution that had ended', status, 'completed');
    const { text } = state['held'] as { readonly text?: string };
    expect('its large result', text, LARGE);
  }
  const kept = await svc.get<{ readonly is: string }>(`/artifacts/${scene.artifact}`);
  expect('an artifact', kept.body.is, 'kept');
  expect('a lost artifact', (await svc.get(`/artifacts/${scene.lostArtifact}`)).status, 404);
  return [...faults, ...(await checkCommands(url))];
}

/** The commands that the operator runs after a restore. */
async function checkCommands(url: string): Promise<readonly string[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-restored-'));
  const run = (args: readonly string[]) =>
    runSvc([...args, '--database-url', url, '-o', 'json'], { cwd });
  try {
    const audit = await eventually(
      async () => {
        const { stdout, stderr } = await run(['audit', 'verify']);
        if (stdout === '') throw new Error(stderr);
        const verdict = JSON.parse(stdout) as { ok: boolean; items: number; problems: object[] };
        if (verdict.ok && verdict.items === 0) throw new Error('nothing is sealed yet');
        return verdict;
      },
      { withinMs: SEALED_MS_MAX },
    );
    const doctor = await run(['doctor']);
    const { checks } = JSON.parse(doctor.stdout) as {
      readonly checks: readonly { readonly name: string; readonly verdict: string; seen: string }[];
    };
    const restore = checks.find(({ name }) => name === 'restore');
    return [
      ...audit.problems.map((problem) => `svc audit verify: ${JSON.stringify(problem)}`),
      ...(restore?.verdict === 'warn' && restore.seen.startsWith('timeline 2, ')
        ? []
        : [`svc doctor does not see the restore: ${JSON.stringify(restore)}`]),
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const CLAIMED_MS_MAX = 60_000;
const SEALED_MS_MAX = 90_000;

/** Starts so many executions, and claims their items. */
async function claimNew(svc: TestTenant, count: number): Promise<readonly WorkItem[]> {
  await Promise.all(Array.from({ length: count }, () => svc.start('holding')));
  const items: WorkItem[] = [];
  while (items.length < count) {
    items.push(...(await claimHeld(svc, { max_items: 20, wait_ms: 5_000 })));
  }
  return items;
}

/** Claims the items again when the leases of the time before T have lapsed. */
async function claimAgain(
  svc: TestTenant,
  held: readonly WorkItem[],
): Promise<ReadonlyMap<string, WorkItem>> {
  const again = new Map<string, WorkItem>();
  await eventually(
    async () => {
      const items = await claimHeld(svc, { max_items: HELD, wait_ms: 1_000 });
      for (const item of items) again.set(item.id, item);
      if (again.size < held.length) throw new Error(`${again.size} of ${held.length} are claimed`);
    },
    { withinMs: CLAIMED_MS_MAX },
  );
  return again;
}

async function claimHeld(
  svc: TestTenant,
  more: { readonly max_items: number; readonly wait_ms: number },
): Promise<readonly WorkItem[]> {
  const { work_items: items, work_item: item } = await svc.tryClaim({
    queue_types: ['java_tool'],
    ...more,
  });
  return items ?? (item === undefined ? [] : [item]);
}

async function upload(svc: TestTenant, is: string): Promise<string> {
  const reply = await svc.send<{ readonly hash: string }>({
    path: '/artifacts',
    raw: JSON.stringify({ is }),
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  });
  return expectStatus(reply, 201).hash;
}
