import test from 'ava';

import type { ExecutionDocument } from '../../../../src/shared/domain/execution/document/execution-document.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { Dialect } from '../../../support/database.ts';
import { importingOf, makeDocument } from '../../../support/imports.ts';
import { tamperWith } from '../../../support/stores.ts';
import { start, type Started } from '../../store/contract/drive.ts';
import { end, KEPT_FOR_GOOD, openRetentionScene, present, startEnded } from './retention-scene.ts';

const THIRTY = { defaults: { ...KEPT_FOR_GOOD, completed: 30, failed: 30, cancelled: 30 } };

/*
 * Executions that retention removed and an import restores, and the audit log's proof in between.
 */

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  const open = (t: Parameters<typeof openRetentionScene>[0]) => openRetentionScene(t, dialect);

  test(`${dialect}: a removed execution returns with its history, and may be removed again`, async (t) => {
    const { store, database, tenantId, run, seal, age, verify } = await open(t);
    const executions = [
      await startEnded(store, { tenantId }),
      await startEnded(store, { tenantId }),
    ];
    const [document] = await documentsOf(store, executions);
    await seal();
    await age(31);
    t.like(await run(THIRTY), { executions: 2, events: 6 });
    const first = await store.imports.removal(idOf(document));
    const retirementId = first?.retirementId ?? '';
    t.is(await store.imports.add(importingOf(document, tenantId, { retirementId })), 'imported');
    t.deepEqual(await present(store, executions), [0]);
    t.is(await store.imports.removal(idOf(document)), null);
    t.like(await verify(), {
      problems: [],
      retiredItems: 6,
      importedExecutions: 1,
      importedEvents: 3,
    });
    await seal();
    t.like(await verify(), { problems: [], importedExecutions: 1 });

    // Retention keeps it as long as others, counted from the import.
    await age(400);
    t.like(await run(THIRTY), { executions: 0 });
    const month = dialect === 'sqlite' ? '31 * 86400000' : `interval '31 days'`;
    await tamperWith(
      database.url,
      'imported_executions',
      `update imported_executions set imported_at = imported_at - ${month}`,
    );
    t.like(await run(THIRTY), { executions: 1, events: 3 });
    t.deepEqual(await present(store, executions), []);
    t.like(await verify(), { problems: [], retiredExecutions: 3, importedExecutions: 0 });
    t.is(await store.imports.add(importingOf(document, tenantId, { retirementId })), 'left');
    const second = await store.imports.removal(idOf(document));
    t.not(second?.retirementId, retirementId);
    const again = importingOf(document, tenantId, { retirementId: second?.retirementId ?? '' });
    t.is(await store.imports.add(again), 'imported');
    await seal();
    t.like(await verify(), { problems: [], importedExecutions: 1, importedEvents: 3 });
  });

  test(`${dialect}: another history does not replace a removed one`, async (t) => {
    const { store, database, tenantId, run, seal, age } = await open(t);
    const [document] = await documentsOf(store, [await startEnded(store, { tenantId })]);
    await seal();
    await age(31);
    await run(THIRTY);
    const retirementId = (await store.imports.removal(idOf(document)))?.retirementId ?? '';
    const forged = {
      ...document,
      events: document.events.map((event) => ({ ...event, actor_id: 'token:nobody' })),
    };
    const before = await database.contents();
    for (const importing of [
      importingOf(forged, tenantId, { retirementId }),
      importingOf(document, tenantId),
      importingOf(document, 'another' as never, { retirementId }),
    ]) {
      t.is(await store.imports.add(importing), 'left');
    }
    t.deepEqual(await database.contents(), before);
  });

  test(`${dialect}: a changed history, record or entry of an import shows`, async (t) => {
    const { store, database, tenantId, seal, verify } = await open(t);
    const document = makeDocument();
    const importing = importingOf(document, tenantId);
    await store.imports.add(importing);
    await startEnded(store, { tenantId });
    await seal();
    t.deepEqual((await verify()).problems, []);
    const { url } = database;
    const change = async (table: string, statement: string) => {
      await tamperWith(url, table, statement);
      const [problem] = (await verify()).problems;
      return problem;
    };
    const payload = dialect === 'sqlite' ? `'{"x":1}'` : `'{"x":1}'::json`;
    const original = importing.events[1];
    t.like(
      await change('events', `update events set payload = ${payload} where kind = 'NodeSkipped'`),
      {
        what: 'row_changed',
        tenantId,
        windowNumber: null,
        row: { executionId: idOf(document), sequence: 2, createdAt: original?.created_at },
      },
    );
    t.is(
      await change('events', `update events set payload = '{}' where kind = 'NodeSkipped'`),
      undefined,
    );
    const digest = `update imported_executions set document_sha256 = '${'a'.repeat(64)}'`;
    t.like(await change('imported_executions', digest), {
      what: 'import_unproved',
      row: { id: importing.importId },
    });
    await change('imported_executions', digest.replace('a'.repeat(64), importing.documentSha256));
    t.deepEqual((await verify()).problems, []);
    for (const table of ['imported_executions', 'events', 'executions']) {
      const column = table === 'executions' ? 'id' : 'execution_id';
      await tamperWith(
        url,
        table,
        `delete from ${table} where ${column} = ${rowId(document)}`,
      ).catch(
        // Nothing protects executions.
        (error: unknown) => t.regex(String(error), /refuse_(change|truncate)/),
      );
    }
    t.like((await verify()).problems[0], {
      what: 'import_unproved',
      row: { id: importing.importId },
    });
  });

  test(`${dialect}: nothing that ran here is hidden by saying that it was imported`, async (t) => {
    const { store, database, tenantId, seal, verify } = await open(t);
    const execution = await startEnded(store, { tenantId });
    await seal();
    const now = dialect === 'sqlite' ? '1' : 'now()';
    const hashes = dialect === 'sqlite' ? `x'${'00'.repeat(96)}'` : `'\\x${'00'.repeat(96)}'`;
    await tamperWith(
      database.url,
      'imported_executions',
      `insert into imported_executions (
         import_id, execution_id, tenant_id, imported_by, imported_at, document_sha256, event_hashes
       )
       values (
         '0198c0de-0000-7000-a000-000000000009', ${rowIdOf(execution.executionId)}, '${tenantId}',
         'token:x', ${now}, '${'a'.repeat(64)}', ${hashes}
       )`,
    );
    t.like((await verify()).problems[0], { what: 'row_removed' });
  });

  test(`${dialect}: sealing continues past imported events`, async (t) => {
    const { store, audit, tenantId, seal, verify } = await open(t);
    // Its times are after the last seal, and it has more events than a round takes.
    const other = await open(t);
    const ended = await startEnded(other.store, { tenantId });
    const [recent] = await documentsOf(other.store, [ended]);
    for (const document of [makeDocument(), recent]) {
      await store.imports.add(importingOf(document, tenantId));
    }
    const live = await start(store, { tenantId });
    for (let round = 0; round < 20; round += 1) {
      const { more } = await audit.seal({ itemsMax: 1, lagMs: 0 });
      if (!more) break;
    }
    await seal();
    await end(store, live);
    await seal();
    t.like(await verify(), { problems: [], items: 5, importedExecutions: 2, importedEvents: 6 });
  });

  function rowIdOf(executionId: string): string {
    return dialect === 'sqlite' ? `'${executionId}'` : `'${executionId.slice('exec_'.length)}'`;
  }

  function rowId(document: ExecutionDocument): string {
    return rowIdOf(document.execution.execution_id);
  }
}

/** Like an archive: reads them before any is aged, so that rows and events agree. */
async function documentsOf(
  store: Store,
  executions: readonly Started[],
): Promise<readonly [ExecutionDocument, ...ExecutionDocument[]]> {
  const documents: ExecutionDocument[] = [];
  for (const { executionId } of executions) {
    const document = await store.executions.document(executionId, null);
    if (document !== null) documents.push(document);
  }
  const [first, ...others] = documents;
  if (first === undefined) throw new Error('there was no execution');
  return [first, ...others];
}

function idOf({ execution }: ExecutionDocument) {
  return execution.execution_id as Started['executionId'];
}
