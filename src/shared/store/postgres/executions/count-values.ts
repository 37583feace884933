import type { CountedBy, CountedValue, CountExecutions, GroupKey } from '../../executions.ts';
import type { SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { type Bind, writeCriteria, writeOtherLabels } from './write-criteria.ts';
import {
  COMPARED_COLUMNS,
  createBinds,
  unnamed,
  writeDrive,
  writeFound,
  writeRows,
} from './write-drive.ts';

type CountValues = Pick<CountExecutions, 'tenantId'> & { readonly within: number };

/** Reads each execution up to the bound, and for a label one row of its index. */
export async function countValues(
  readers: PostgresPool,
  params: CountValues & { readonly by: CountedBy },
  split: SplitCriteria,
): Promise<readonly CountedValue[]> {
  const { tenantId, within } = params;
  const { key, limit } = params.by;
  const { values, bind } = createBinds();
  const drive = writeDrive({ tenantId, cursor: null }, split, bind);
  // The label of an entry of an index is found without the execution.
  const columns =
    key.field === 'labels' && split.residual === null ? 'e.id, e.created_at' : COMPARED_COLUMNS;
  const found = writeFound(drive, {
    columns,
    bound: 'true',
    end: `limit ${bind(within)}::int4`,
  });
  const labels = writeOtherLabels(split.labels, tenantId, bind);
  const text = `
    with found as materialized (${found}
    ),
    scanned as materialized (${writeRows(drive, 'found', { columns, labels })}
    ),
    keyed as materialized (
      select ${writeKey(key, bind)} as value
      from scanned e
      where ${split.residual === null ? 'true' : writeCriteria(split.residual, bind)}
    )
    select k.value, count(*)::int4 as count
    from keyed k
    group by k.value
    order by count desc, k.value collate "C" nulls last
    limit ${bind(limit)}::int4`;
  return readers.run<CountedValue>(unnamed(text), values, tenantId);
}

function writeKey(key: GroupKey, bind: Bind): string {
  switch (key.field) {
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
          and n.name = ${bind(key.label)}::text
      )`;
  }
}
