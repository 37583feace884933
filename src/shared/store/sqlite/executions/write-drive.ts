import type { ExecutionCriteria } from '../../../domain/execution/query/criteria.ts';
import { labelOf } from '../../rows/split-criteria.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { writeCriteria, type WrittenCriteria } from './write-criteria.ts';

/** An index in the order of the list, with the executions that it finds. */
export interface Drive extends WrittenCriteria {
  readonly from: string;
  /** The entries of the index of a label, alone; empty: the index is another. */
  readonly labelled: string;
  readonly place: { readonly at: string; readonly id: string };
}

export function writeDrive(driving: ExecutionCriteria): Drive {
  const label = labelOf(driving);
  if (label === null) {
    const { condition, bindings } = writeCriteria('d_', driving);
    return {
      from: 'executions',
      labelled: '',
      place: { at: 'created_at', id: 'id' },
      condition: `tenant_id = :tenant_id and ${condition}`,
      bindings,
    };
  }
  const { from, before } = driving.started;
  const times = [
    ...(from === null ? [] : [' and created_at >= :label_from']),
    ...(before === null ? [] : [' and created_at < :label_before']),
  ];
  const labelled = `(
       select execution_id as labelled_id, created_at as labelled_at
       from execution_labels
       where tenant_id = :tenant_id and name = :label_name and value = :label_value${times.join('')}
     )`;
  return {
    // A cross join keeps its order, and with it that of the index.
    from: `${labelled} cross join executions on id = labelled_id`,
    labelled,
    place: { at: 'labelled_at', id: 'labelled_id' },
    condition: 'true',
    bindings: {
      label_name: label.name,
      label_value: label.value,
      ...(from !== null && { label_from: Date.parse(from) }),
      ...(before !== null && { label_before: Date.parse(before) }),
    },
  };
}

export function orderBy({ at, id }: Drive['place']): string {
  return `${at} desc, ${id} desc`;
}

export const NO_CONDITION = { condition: 'true', bindings: {} };

/** All that a condition of a query looks at. */
export const COMPARED_COLUMNS = `id, definition_id, workflow_id, workflow_version, parent_execution_id, status,
         error, error_class, created_at, completed_at`;

/** The texts vary with the query of a caller, so the connection does not keep them compiled. */
export function all<Row>(
  connection: Connection,
  text: string,
  bindings: Readonly<Record<string, Bindable>>,
): readonly Row[] {
  return connection.database.prepare<Record<string, Bindable>[], Row>(text).all(bindings);
}
