import type { ExecutionId } from '../../../../../src/shared/domain/ids.ts';
import { hashHistory } from '../../../../../src/shared/domain/audit/retired-executions.ts';
import type { Importing, ImportVerdict } from '../../../../../src/shared/store/imports.ts';
import { importingOf, makeDocument } from '../../../../support/imports.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, start } from '../drive.ts';
import { makeCause, makeDefinitionId, makeTenantId, makeUuid } from '../make.ts';
import { criteriaOf } from './search-scene.ts';

const ALL = { actorId: null, eventType: null, limit: 50, offset: 0 };

export function importCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check(
    'an import writes the history, its record and its entry, and nothing else',
    async (t, database) => {
      const { store } = database;
      const tenantId = makeTenantId();
      const document = makeDocument();
      const importing = importingOf(document, tenantId, { snapshot: '{"a":1}' });
      const before = await database.contents();
      t.is(await store.imports.add(importing), 'imported');
      const after = await database.contents();
      const grown = Object.keys(after).flatMap((table) => {
        const rows = (after[table]?.length ?? 0) - (before[table]?.length ?? 0);
        return rows === 0 ? [] : [[table, rows]];
      });
      t.deepEqual(grown, [
        ['audit_log', 1],
        ['events', 3],
        ['executions', 1],
        ['imported_definitions', 1],
        ['imported_executions', 1],
        ['snapshots', 1],
      ]);
      const { executionId } = importing.execution;
      const found = await store.executions.document(executionId, tenantId);
      t.deepEqual(found?.events, document.events);
      const { events: _, ...head } = found ?? { events: [] };
      t.deepEqual(await store.executions.documentHead(executionId, tenantId), head);
      t.is(await store.executions.documentHead(executionId, makeTenantId()), null);
      t.deepEqual(found?.execution, {
        ...document.execution,
        tenant_id: tenantId,
        shard: 3,
      });
      t.like(found?.definition, { revision: 4, ir_hash: importing.definition.irHash });
      t.deepEqual(found?.snapshot, { sequence: 3, body: '{"a":1}' });
      t.is(hashHistory(await store.audit.histories([executionId])), importing.eventHashes);
      t.is(await store.executions.find(executionId, makeTenantId()), null);
    },
  );

  check(
    'the cause of an imported failure is kept as of one that failed here',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const cause = makeCause({ errorClass: 'Boom', causeKey: 2 ** 48 - 1 });
      const causes = [{ nodeId: 'pay', ...cause }, { nodeId: null, ...cause }, null];
      for (const failure of causes) {
        const importing = importingOf(makeDocument(), tenantId);
        const execution = { ...importing.execution, failure };
        t.is(await store.imports.add({ ...importing, execution }), 'imported');
      }
      const page = { tenantId, cursor: null, limit: 10, within: 10 };
      const read = async (query: string) => {
        const criteria = await criteriaOf(store, query);
        const found = await store.executionSearch.search({ ...page, criteria });
        return found.rows.map((row) => `${row.errorClass} at ${row.errorNodeId}`).toSorted();
      };
      const kept = ['Boom at null', 'Boom at pay'];
      t.deepEqual(await read('error_class = Boom'), kept);
      t.deepEqual(await read('status = failed'), [...kept, 'null at null']);
      const criteria = await criteriaOf(store, 'status = failed');
      const grouping = { members: 3, byMessage: [] };
      const { groups } = await store.executionSearch.groupFailed({ ...page, criteria, grouping });
      const keys = groups.flatMap(({ causeKey, latest }) => latest().map(() => String(causeKey)));
      t.deepEqual(keys.toSorted(), [`${cause.causeKey}`, `${cause.causeKey}`, 'null']);
    },
  );

  check('the author and the time of an import stay readable forever', async (t, { store }) => {
    const tenantId = makeTenantId();
    const importing = importingOf(makeDocument(), tenantId);
    await store.imports.add(importing);
    const { executionId } = importing.execution;
    const own = await start(store, { tenantId });
    const executionIds = [executionId, own.executionId];
    const found = await store.imports.find({ tenantId, executionIds });
    t.is(found.length, 1);
    t.like(found[0], { executionId, importedBy: 'token:ops', documentSha256: 'd'.repeat(64) });
    t.true(Math.abs(Date.parse(found[0]?.importedAt ?? '') - Date.now()) < 60_000);
    t.deepEqual(await store.imports.find({ tenantId: makeTenantId(), executionIds }), []);
    t.is(await store.imports.removal(executionId), null);
  });

  check('events of imported executions are no items of the audit log', async (t, { store }) => {
    const tenantId = makeTenantId();
    const importing = importingOf(makeDocument(), tenantId);
    await store.imports.add(importing);
    const { executionId } = importing.execution;
    const own = await start(store, { tenantId });
    for (const filter of [null, executionId]) {
      const { items, total } = await store.audit.list({ ...ALL, tenantId, executionId: filter });
      const imports = items.filter((item) => item.executionId === executionId);
      t.is(total, filter === null ? 2 : 1);
      t.deepEqual(
        imports.map(({ id, eventType, actorId }) => ({ id, eventType, actorId })),
        [{ id: importing.importId, eventType: 'execution_imported', actorId: 'token:ops' }],
      );
    }
    const range = { coversFrom: '2026-03-01T00:00:00.000Z', coversTo: '2999-01-01T00:00:00.000Z' };
    const sealable = await store.audit.sealable({ ...range, tenantId });
    t.deepEqual(
      sealable.map(({ key }) => key).toSorted(),
      [own.executionId, importing.importId].toSorted(),
    );
    const exported = await store.audit.export({
      tenantId,
      since: null,
      until: null,
      after: null,
      limit: 50,
    });
    t.deepEqual(exported.map(({ eventType }) => eventType).toSorted(), [
      'execution_imported',
      'workflow_started',
    ]);
    const old = { coversFrom: range.coversFrom, coversTo: '2026-04-01T00:00:00.000Z' };
    const everybody = await store.audit.sealable({ ...old, tenantId: null });
    t.false(everybody.some(({ key }) => key === executionId));
  });

  check(
    'a definition that came with an execution is found by its id alone',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const importing = importingOf(makeDocument(), tenantId);
      await store.imports.add(importing);
      const { definitionId, ir } = importing.definition;
      t.like(await store.definitions.find(definitionId), {
        definitionId,
        tenantId,
        ir,
        revision: 4,
      });
      const named = { tenantId, workflowId: 'greet', version: null };
      t.is(await store.definitions.findLatest(named), null);
      t.is(await store.definitions.latestId(named), null);
      t.deepEqual(
        await store.definitions.list({ tenantId, workflowId: null, limit: 9, offset: 0 }),
        [],
      );
      const registered = await store.definitions.register({
        ...importing.definition,
        definitionId: makeDefinitionId(),
        tenantId,
        actorId: 'token:ci',
      });
      t.is(registered?.revision, 1);
      const second = importingOf(makeDocument({ definition_id: definitionId }), tenantId);
      t.is(await store.imports.add(second), 'imported');
      const known = importingOf(
        makeDocument({ definition_id: registered?.definitionId ?? '' }),
        tenantId,
      );
      t.is(await store.imports.add(known), 'imported');
      t.is((await store.definitions.find(known.definition.definitionId))?.revision, 1);
    },
  );

  check('an import that does not fit is refused, and leaves nothing', async (t, database) => {
    const { store } = database;
    const tenantId = makeTenantId();
    const importing = importingOf(makeDocument(), tenantId);
    await store.imports.add(importing);
    const { executionId } = importing.execution;
    const stranger = await start(store);
    const other = (changes: Partial<Importing> = {}) =>
      importingOf(makeDocument(), tenantId, changes);
    const fresh = other();
    const cases: readonly (readonly [ImportVerdict, Importing])[] = [
      ['there', { ...other(), execution: importing.execution }],
      [
        'there',
        { ...other(), execution: { ...fresh.execution, executionId: stranger.executionId } },
      ],
      ['left', other({ retirementId: makeUuid() })],
      ['definition', { ...fresh, definition: { ...importing.definition, irHash: 'f'.repeat(64) } }],
      [
        'definition',
        { ...importingOf(makeDocument(), makeTenantId()), definition: importing.definition },
      ],
      [
        'parent',
        { ...fresh, execution: { ...fresh.execution, parentExecutionId: stranger.executionId } },
      ],
      [
        'ahead',
        { ...fresh, execution: { ...fresh.execution, completedAt: '2999-01-01T00:00:00.000Z' } },
      ],
      [
        'ahead',
        {
          ...fresh,
          execution: {
            ...fresh.execution,
            executionId: 'exec_f198c0de00007000a000000000000009' as ExecutionId,
          },
        },
      ],
    ];
    for (const [verdict, refused] of cases) {
      const before = await database.contents();
      t.is(await store.imports.add(refused), verdict);
      t.deepEqual(await database.contents(), before);
    }
    const sibling = { ...fresh, execution: { ...fresh.execution, parentExecutionId: executionId } };
    t.is(await store.imports.add(sibling), 'imported');
  });

  check('an import that breaks off midway leaves nothing', async (t, database) => {
    const { store } = database;
    const importing = importingOf(makeDocument(), makeTenantId());
    const [first, ...others] = importing.events;
    if (first === undefined) throw new Error('there are three events');
    const before = await database.contents();
    // The table refuses the last row, after all others are written.
    const broken = { ...importing, events: [first, ...others, { ...first, sequence: 2 }] };
    await t.throwsAsync(store.imports.add(broken));
    t.deepEqual(await database.contents(), before);
    t.is(await store.imports.add(importing), 'imported');
  });

  check('one of many imports of the same at once succeeds', async (t, { store }) => {
    const tenantId = makeTenantId();
    const document = makeDocument();
    const verdicts = await atOnce(10, () => store.imports.add(importingOf(document, tenantId)));
    t.deepEqual(verdicts.toSorted(), ['imported', ...Array<string>(9).fill('there')].toSorted());
    const { total } = await store.audit.list({ ...ALL, tenantId, executionId: null });
    t.is(total, 1);
  });

  check('imports are listed in order with what the log says of them', async (t, { store }) => {
    const tenantId = makeTenantId();
    const imports = [0, 1, 2].map(() => importingOf(makeDocument(), tenantId));
    for (const importing of imports) await store.imports.add(importing);
    const first = await store.audit.imports({ tenantId, after: null, limit: 2 });
    const rest = await store.audit.imports({
      tenantId,
      after: first[1]?.importId ?? null,
      limit: 2,
    });
    t.deepEqual(
      [...first, ...rest],
      imports.map(({ importId, execution, documentSha256, eventHashes, told }) => ({
        importId,
        executionId: execution.executionId,
        tenantId,
        documentSha256,
        retirementId: null,
        eventHashes,
        told: { tenantId, digest: told['digest'] as string },
        isThere: true,
      })),
    );
  });
}
