import type { ExecutionCriteria } from '../../../domain/execution/query/criteria.ts';
import type { SearchExecutions } from '../../executions.ts';
import { eachLabelFirst, RARITY_ENTRIES, splitCriteria } from '../../rows/split-criteria.ts';
import type { Connection } from '../connection/connect.ts';
import { all, orderBy, writeDrive } from './write-drive.ts';

/**
 * The index of the first label with one value is read, so the label with the fewest entries comes first.
 * If all have many, their newest entries tell: those of the rarest reach back the farthest.
 */
export function putRarestFirst(
  connection: Connection,
  { tenantId, criteria, cursor }: Pick<SearchExecutions, 'tenantId' | 'criteria' | 'cursor'>,
): ExecutionCriteria {
  const orders = eachLabelFirst(criteria);
  if (orders.length < 2) return criteria;
  const samples = orders.map((order, index) => {
    const { labelled, place, bindings } = writeDrive(splitCriteria(order).driving);
    const [sample] = all<Sample>(
      connection,
      `select count(*) as entries, min(labelled_at) as oldest
       from (
         select labelled_at
         from ${labelled}
         where ${cursor === null ? 'true' : `(${place.at}, ${place.id}) < (:cursor_at, :cursor_id)`}
         order by ${orderBy(place)}
         limit :entries
       )`,
      {
        tenant_id: tenantId,
        ...bindings,
        entries: RARITY_ENTRIES,
        ...(cursor !== null && {
          cursor_at: Date.parse(cursor.createdAt),
          cursor_id: cursor.executionId,
        }),
      },
    );
    return { order, index, entries: sample?.entries ?? 0, oldest: sample?.oldest ?? 0 };
  });
  const [rarest] = samples.toSorted(
    (one, other) =>
      one.entries - other.entries || one.oldest - other.oldest || one.index - other.index,
  );
  return rarest?.order ?? criteria;
}

interface Sample {
  readonly entries: number;
  readonly oldest: number | null;
}
