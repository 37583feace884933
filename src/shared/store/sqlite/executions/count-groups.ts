import type { CountedValue, CountGroups, GroupKey } from '../../executions.ts';
import { comparedOf, countedWithin } from '../../rows/split-criteria.ts';
import type { Connection } from '../connection/connect.ts';
import { splitByRarest } from './split-by-rarest.ts';
import { writeCriteria } from './write-criteria.ts';
import { all, COMPARED_COLUMNS, NO_CONDITION, orderBy, writeDrive } from './write-drive.ts';

/** Reads each execution up to the bound, and for a label one row of its index. */
export function countGroups(connection: Connection, params: CountGroups): readonly CountedValue[] {
  const { tenantId, criteria, by, limit } = params;
  const split = splitByRarest(connection, { tenantId, criteria });
  const within = countedWithin(params, split);
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
       select ${writeKey(by)} as value
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
      ...(by.field === 'labels' && { group_label: by.label }),
    },
  );
}

function writeKey(by: GroupKey): string {
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
         from execution_labels as n
         where n.execution_id = e.id
           and n.name = :group_label
       )`;
  }
}
