import type { CountedBy, CountedValue, CountExecutions, GroupKey } from '../../executions.ts';
import type { SplitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { type Bind, writeCriteria } from './write-criteria.ts';
import { COMPARED_COLUMNS, createBinds, unnamed, writeScanned } from './write-drive.ts';

interface CountValues extends Pick<CountExecutions, 'tenantId'> {
  readonly within: number;
  readonly by: CountedBy;
}

/** Reads each execution up to the bound, and for a label one row of its index. */
export async function countValues(
  readers: PostgresPool,
  { tenantId, within, by: { key, limit } }: CountValues,
  split: SplitCriteria,
): Promise<readonly CountedValue[]> {
  const { values, bind } = createBinds();
  // The label of an entry of an index is found without the execution.
  const columns =
    key.field === 'labels' && split.residual === null ? 'e.id, e.created_at' : COMPARED_COLUMNS;
  const scanned = writeScanned({ tenantId, within, columns }, split, bind);
  const text = `
    with ${scanned},
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
