import test from 'ava';

import {
  verifyAuditPart,
  type VerifiedPart,
  type VerifyPosition,
} from '../../../../src/shared/engine/audit/verify-part.ts';
import { verifyAudit } from '../../../../src/shared/engine/audit/verify-audit.ts';
import type { Dialect } from '../../../support/database.ts';
import { tamperWith } from '../../../support/stores.ts';
import { makeTenantId } from '../../store/contract/make.ts';
import {
  KEPT_FOR_GOOD,
  openRetentionScene,
  startEnded,
  type RetentionScene,
} from '../retention/retention-scene.ts';

const THIRTY = { ...KEPT_FOR_GOOD, completed: 30 };

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: the parts of a verification add up to the whole`, async (t) => {
    const scene = await setScene(await openRetentionScene(t, dialect));
    const { audit, tenantId } = scene;
    const whole = await verifyAudit(audit, { tenantId, expected: null });
    t.deepEqual(whole.problems, []);
    t.like(whole, { retiredExecutions: 1, executions: 2 });
    const parts = await verifyAll(scene, 1);
    t.true(parts.length > 3);
    t.deepEqual(sumOf(parts), {
      windows: whole.windows,
      items: whole.items,
      retiredItems: whole.retiredItems,
      retiredExecutions: whole.retiredExecutions,
      importedExecutions: whole.importedExecutions,
      definitions: whole.definitions,
      executions: whole.executions,
    });
    const ended = parts.findLast(({ head }) => head !== null)?.head;
    t.is(ended?.windowNumber, whole.head.windowNumber);
    t.is(ended?.hash, whole.head.hash);
    const [atOnce, ...more] = await verifyAll(scene, 1_000_000);
    t.deepEqual(more, []);
    t.is(atOnce?.items, whole.items);
  });

  test(`${dialect}: a part names the first problem, and ends the verification`, async (t) => {
    const scene = await setScene(await openRetentionScene(t, dialect));
    const { audit, tenantId, database } = scene;
    await tamperWith(
      database.url,
      'events',
      `update events set actor_id = 'token:somebody' where kind = 'WorkflowFailed'`,
    );
    const whole = await verifyAudit(audit, { tenantId, expected: null });
    t.is(whole.problems[0]?.what, 'row_changed');
    const last = (await verifyAll(scene, 1)).at(-1);
    t.deepEqual(last?.problems, whole.problems);
    t.is(last?.next, null);
    t.is(last?.head?.windowNumber, whole.head.windowNumber);
  });

  test(`${dialect}: a kept head that is not in the chain is a problem`, async (t) => {
    const scene = await setScene(await openRetentionScene(t, dialect));
    const { audit, tenantId } = scene;
    const { head } = await verifyAudit(audit, { tenantId, expected: null });
    const { windowNumber, hash } = head;
    t.deepEqual((await verifyAll(scene, 1, { windowNumber, hash })).at(-1)?.problems, []);
    const rebuilt = { windowNumber, hash: 'f'.repeat(64) };
    t.is((await verifyAll(scene, 1, rebuilt)).at(-1)?.problems[0]?.what, 'window_changed');
    const longer = { windowNumber: windowNumber + 1, hash };
    t.like((await verifyAll(scene, 1, longer)).at(-1)?.problems[0], {
      what: 'window_missing',
      windowNumber: windowNumber + 1,
    });
  });

  test(`${dialect}: another tenant has the same chain and no items`, async (t) => {
    const scene = await setScene(await openRetentionScene(t, dialect));
    const parts = await verifyAll({ ...scene, tenantId: makeTenantId() }, 1_000);
    t.like(sumOf(parts), { items: 0, retiredExecutions: 0, executions: 0 });
    t.deepEqual(parts.at(-1)?.problems, []);
  });
}

/** Two executions that exist and one that retention has removed, sealed in several windows. */
async function setScene(scene: RetentionScene): Promise<RetentionScene> {
  const { store, tenantId, seal, age, run } = scene;
  await startEnded(store, { tenantId });
  await seal();
  await age(100);
  await run({ tenantId, defaults: THIRTY });
  await startEnded(store, { tenantId });
  await startEnded(store, { tenantId, status: 'failed' });
  await seal();
  return scene;
}

async function verifyAll(
  { store, audit, tenantId }: RetentionScene,
  itemsMax: number,
  expected: { readonly windowNumber: number; readonly hash: string } | null = null,
): Promise<readonly VerifiedPart[]> {
  const parts: VerifiedPart[] = [];
  let from: VerifyPosition | null = null;
  do {
    const deps = { store: { ...store, audit } };
    const part: VerifiedPart = await verifyAuditPart(
      deps,
      { tenantId },
      { from, expected, itemsMax },
    );
    parts.push(part);
    from = part.next;
  } while (from !== null);
  return parts;
}

function sumOf(parts: readonly VerifiedPart[]) {
  const sum = (key: 'windows' | 'items' | 'retiredItems' | 'retiredExecutions') =>
    parts.reduce((all, part) => all + part[key], 0);
  const of = (key: 'importedExecutions' | 'definitions' | 'executions') =>
    parts.reduce((all, part) => all + part[key], 0);
  return {
    windows: sum('windows'),
    items: sum('items'),
    retiredItems: sum('retiredItems'),
    retiredExecutions: sum('retiredExecutions'),
    importedExecutions: of('importedExecutions'),
    definitions: of('definitions'),
    executions: of('executions'),
  };
}
