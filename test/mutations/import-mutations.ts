import type { Mutation } from './mutations.ts';

const SQLITE = 'shared/store/sqlite';
const IMPORT = 'shared/engine/executions/import/import-execution.ts';

/** Bugs of imports. */
export const IMPORT_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'an import leaves no entry in the audit log',
    file: `${SQLITE}/executions/imports.ts`,
    from: '  appendAudit(connection, {\n    auditId: importId,',
    to: '  if (events.length === 0) appendAudit(connection, {\n    auditId: importId,',
  },
  {
    bug: 'an import brings only the first events of a history',
    file: `${SQLITE}/executions/imports.ts`,
    from: 'for (const { sequence, kind, node_id, payload, actor_id, created_at } of events) {',
    to: 'for (const { sequence, kind, node_id, payload, actor_id, created_at } of events.slice(0, 4)) {',
  },
  {
    bug: 'an import does not look for one that came between',
    file: `${SQLITE}/executions/imports.ts`,
    from: "  if (has('select 1 from executions where id = ?', [executionId])) return 'there';\n",
    to: '',
  },
  {
    bug: 'another history under a known id is taken for the same',
    file: IMPORT,
    from: 'if ((await hashInPieces(deps, own)) !== eventHashes) throw taken(executionId);',
    to: 'if (own.length === 0) throw taken(executionId);',
  },
  {
    bug: 'an import believes what its document says of the end',
    file: 'shared/domain/execution/document/check-history.ts',
    from: "    ['status', execution.status, state.status],\n",
    to: '',
  },
  {
    bug: 'an execution that was removed comes back as one that never was here',
    file: IMPORT,
    from: 'const retirementId = removal?.retirementId ?? null;',
    to: 'const retirementId = null;',
    also: [
      {
        file: `${SQLITE}/executions/imports.ts`,
        from: '      ? removal === null &&',
        to: '      ? removal !== undefined ||',
      },
    ],
  },
  {
    bug: 'imported events are items of the audit log',
    file: `${SQLITE}/audit/items.ts`,
    from: "         and not ${isImported('e.execution_id')}\n       union all",
    to: '       union all',
  },
];
