import test, { type ExecutionContext } from 'ava';

import { hashJson } from '../../../../src/shared/domain/canonical-json.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import { verifyAudit } from '../../../../src/shared/engine/audit/verify-audit.ts';
import type { Dialect } from '../../../support/database.ts';
import { importingOf, makeDocument } from '../../../support/imports.ts';
import { changeTable } from '../../../support/stores.ts';
import { commitOne, start } from '../../store/contract/drive.ts';
import {
  makeDefinitionId,
  makeEvent,
  makePlan,
  makeTenantId,
  makeUuid,
} from '../../store/contract/make.ts';
import { openRetentionScene, startEnded } from '../retention/retention-scene.ts';

/* Rows outside the audit log: the test changes each as an owner of the database could. */

const EXECUTION_CHANGES = [
  ['live', `status = 'completed', completed_at = created_at`],
  ['live', `workflow_id = 'other'`],
  ['live', `workflow_version = '9'`],
  ['live', `definition_id = '${makeUuid()}'`],
  ['live', 'last_sequence = 2'],
  ['live', 'last_sequence = 9'],
  ['ended', `status = 'failed'`],
  ['ended', `status = 'running', completed_at = null`],
  ['ended', `workflow_id = 'other'`],
  ['imported', `status = 'cancelled'`],
  ['imported', `workflow_id = 'other'`],
] as const;

const OTHER_IR = { workflow_id: 'other' };
const DEFINITION_CHANGES = [
  ['definitions', `ir = '${JSON.stringify(OTHER_IR)}'`],
  ['definitions', `ir = '${JSON.stringify(OTHER_IR)}', ir_hash = '${hashJson(OTHER_IR)}'`],
  ['definitions', `ir_hash = '${'a'.repeat(64)}'`],
  ['imported_definitions', `ir = '${JSON.stringify(OTHER_IR)}'`],
  ['imported_definitions', `ir_hash = '${'a'.repeat(64)}'`],
] as const;

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: the row of an execution that does not say what its events say is named`, async (t) => {
    const scene = await openScene(t, dialect);
    const { change, tenantId, verify, verifyOther } = scene;
    t.like(await verify(), { problems: [], executions: 3, definitions: 2 });
    for (const [which, set] of EXECUTION_CHANGES) {
      const executionId = scene[which];
      const restore = await scene.remember('executions', `id = '${scene.key(executionId)}'`);
      await change(`update executions set ${set} where id = '${scene.key(executionId)}'`);
      const { problems } = await verify();
      const title = `${which}: ${set}`;
      t.is(problems.length, 1, title);
      t.like(
        problems[0],
        { what: 'execution_changed', tenantId, row: { id: executionId, executionId } },
        title,
      );
      t.deepEqual((await verifyOther()).problems, [], title);
      await restore();
      t.deepEqual((await verify()).problems, [], title);
    }
  });

  test(`${dialect}: a definition that is not what was registered is named`, async (t) => {
    const scene = await openScene(t, dialect);
    const { change, tenantId, verify } = scene;
    for (const [table, set] of DEFINITION_CHANGES) {
      const restore = await scene.remember(table, 'true');
      await change(`update ${table} set ${set}`);
      const { problems } = await verify();
      t.like(problems[0], { what: 'definition_changed', tenantId }, `${table}: ${set}`);
      await restore();
      t.deepEqual((await verify()).problems, [], `${table}: ${set}`);
    }
    await change(`delete from definitions where workflow_id = 'greet'`);
    t.like((await verify()).problems[0], { what: 'definition_removed', tenantId });
  });

  test(`${dialect}: rows beyond the first page are looked at, and removed executions leave none`, async (t) => {
    const scene = await openScene(t, dialect);
    const { store, tenantId, seal, age, run, verify, change } = scene;
    for (let index = 0; index < 45; index += 1) await scene.register(`flow-${index}`);
    for (let index = 0; index < 510; index += 1) await start(store, { tenantId });
    await seal();
    t.like(await verify(), { problems: [], definitions: 47, executions: 513 });
    await age(31);
    await run({ olderThanMs: 86_400_000, status: 'completed' });
    t.like(await verify(), { problems: [], executions: 512, retiredExecutions: 1 });
    await change(`update definitions set ir = '{}' where workflow_id = 'flow-44'`);
    t.like((await verify()).problems[0], { what: 'definition_changed' });
  });
}

async function openScene(t: ExecutionContext, dialect: Dialect) {
  const scene = await openRetentionScene(t, dialect);
  const { store, audit, tenantId, database } = scene;
  const change = changeTable(database.url);
  // The owner of the database can disable the protection of definitions.
  for (const table of ['definitions', 'imported_definitions']) {
    await change(
      dialect === 'sqlite'
        ? `drop trigger ${table}_refuse_update`
        : `alter table ${table} disable trigger all`,
    );
  }
  const live = await start(store, { tenantId });
  await commitOne(store, makePlan(live, { events: [makeEvent(), makeEvent()] }));
  const ended = await startEnded(store, { tenantId });
  const importing = importingOf(makeDocument(), tenantId);
  await store.imports.add(importing);
  await register('greet');
  await scene.seal();

  async function register(workflowId: string): Promise<void> {
    const ir = { workflow_id: workflowId };
    await store.definitions.register({
      definitionId: makeDefinitionId(),
      tenantId,
      workflowId,
      version: '1',
      irHash: hashJson(ir),
      ir,
      actorId: 'token:ops',
    });
  }

  /** Returns a function that restores the current rows. */
  async function remember(table: string, where: string): Promise<() => Promise<void>> {
    await change(`create table remembered as select * from ${table} where ${where}`);
    return () =>
      change(
        `delete from ${table} where ${where};
         insert into ${table} ${dialect === 'sqlite' ? '' : 'overriding system value'}
           select * from remembered;
         drop table remembered`,
      );
  }

  return {
    ...scene,
    live: live.executionId,
    ended: ended.executionId,
    imported: importing.execution.executionId,
    change,
    register,
    remember,
    key: (id: ExecutionId) => (dialect === 'sqlite' ? id : id.slice('exec_'.length)),
    verifyOther: () => verifyAudit(audit, { tenantId: makeTenantId(), expected: null }),
  };
}
