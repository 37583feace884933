import {
  RARITY_ENTRIES,
  splitCriteria,
  splitsByLabel,
  type SplitCriteria,
  type Splitting,
} from '../../rows/split-criteria.ts';
import type { Connection } from '../connection/connect.ts';
import { all, orderBy, writeDrive } from './write-drive.ts';

/**
 * The index of the label with the fewest entries is read, if several labels have one value. If all have
 * many, their newest entries tell: those of the rarest reach back the farthest.
 */
export function splitByRarest(
  connection: Connection,
  { tenantId, criteria, cursor = null }: Splitting,
): SplitCriteria {
  const splits = splitsByLabel(criteria);
  if (splits.length < 2) return splitCriteria(criteria);
  const samples = splits.map((split, index) => {
    const { labelled, place, bindings } = writeDrive(split.driving);
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
    return { split, index, entries: sample?.entries ?? 0, oldest: sample?.oldest ?? 0 };
  });
  const [rarest] = samples.toSorted(
    (one, other) =>
      one.entries - other.entries || one.oldest - other.oldest || one.index - other.index,
  );
  return rarest?.split ?? splitCriteria(criteria);
}

interface Sample {
  readonly entries: number;
  readonly oldest: number | null;
}
