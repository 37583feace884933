import type { CountedBy, CountedValue, CountExecutions, GroupKey } from '../../executions.ts';
import { comparedOf, type SplitCriteria } from '../../rows/split-criteria.ts';
import type { Connection } from '../connection/connect.ts';
import { writeCriteria } from './write-criteria.ts';
import { all, COMPARED_COLUMNS, NO_CONDITION, orderBy, writeDrive } from './write-drive.ts';

interface CountValues extends Pick<CountExecutions, 'tenantId'> {
  readonly within: number;
  readonly by: CountedBy;
}

/** Reads each execution up to the bound, and for a label one row of its index. */
export function countValues(
  connection: Connection,
  { tenantId, within, by: { key, limit } }: CountValues,
  split: SplitCriteria,
): readonly CountedValue[] {
  const residual = comparedOf(split);
  const drive = writeDrive(split.driving);
  const compare = residual === null ? NO_CONDITION : writeCriteria('r_', residual);
  return all<CountedValue>(
    connection,
    `with scanned as materialized (
       select ${COMPARED_COLUMNS}
       from ${drive.from}
       where ${drive.condition}
       order by ${orderBy(drive.place)}
       limit :within
     ),
     keyed as materialized (
       select ${writeKey(key)} as value
       from scanned e
       where ${compare.condition}
     )
     select value, count(*) as count
     from keyed
     group by value
     order by 2 desc, value nulls last
     limit :limit`,
    {
      tenant_id: tenantId,
      ...drive.bindings,
      ...compare.bindings,
      within,
      limit,
      ...(key.field === 'labels' && { group_label: key.label }),
    },
  );
}

function writeKey(key: GroupKey): string {
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
         from execution_labels as n
         where n.execution_id = e.id
           and n.name = :group_label
       )`;
  }
}
