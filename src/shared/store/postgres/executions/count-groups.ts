import type { CountedValue, CountGroups, GroupKey } from '../../executions.ts';
import { splitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { type Bind, writeCriteria } from './write-criteria.ts';
import { createBinds, unnamed, writeDrive, writeRows } from './write-drive.ts';

/** Reads each execution up to the bound, and for a label one row of its index. */
export async function countGroups(
  readers: PostgresPool,
  params: CountGroups,
): Promise<readonly CountedValue[]> {
  const { tenantId, within } = params;
  const split = splitCriteria(params.criteria);
  const { values, bind } = createBinds();
  const rows = writeRows(writeDrive({ tenantId, cursor: null }, split, bind), {
    columns: COMPARED_COLUMNS,
    bound: 'true',
    end: `limit ${bind(within)}::int4`,
  });
  const text = `
    with scanned as materialized (${rows}
    ),
    keyed as materialized (
      select ${writeKey(params.by, bind)} as value
      from scanned e
      where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    )
    select k.value, count(*)::int4 as count
    from keyed k
    group by k.value
    order by count desc, k.value collate "C" nulls last
    limit ${bind(params.limit)}::int4`;
  return readers.run<CountedValue>(unnamed(text), values, tenantId);
}

/** All that a condition of a query or a group looks at. */
const COMPARED_COLUMNS = `e.id, e.definition_id, e.workflow_id, e.workflow_version,
        e.parent_execution_id, e.status, e.error, e.created_at, e.completed_at`;

function writeKey(by: GroupKey, bind: Bind): string {
  switch (by.field) {
    case 'status':
      return 'e.status';
    case 'workflow':
      return 'e.workflow_id';
    case 'version':
      return 'e.workflow_version';
    case 'labels':
      return `(
        select n.value
        from execution_labels n
        where n.execution_id = e.id
          and n.name = ${bind(by.label)}::text
      )`;
  }
}
