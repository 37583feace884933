import {
  RARITY_ENTRIES,
  splitCriteria,
  splitsByLabel,
  type SplitCriteria,
  type Splitting,
} from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { createBinds, orderBy, unnamed, writeDrive } from './write-drive.ts';

/**
 * The index of the label with the fewest entries is read, if several labels have one value. If all have
 * many, their newest entries tell: those of the rarest reach back the farthest.
 */
export async function splitByRarest(
  readers: PostgresPool,
  { tenantId, criteria, cursor = null }: Splitting,
): Promise<SplitCriteria> {
  const splits = splitsByLabel(criteria);
  if (splits.length < 2) return splitCriteria(criteria);
  const { values, bind } = createBinds();
  const entries = bind(RARITY_ENTRIES);
  const samples = splits.map((split, index) => {
    const { table, where, place } = writeDrive({ tenantId, cursor }, split, bind);
    return `
    select ${index} as index, count(*) as entries, min(s.at) as oldest
    from (
      select ${place.at} as at
      from ${table}
      where ${where}
      order by ${orderBy(place)}
      limit ${entries}::int4
    ) s`;
  });
  const text = `
    select r.index
    from (${samples.join('\n    union all')}
    ) r
    order by r.entries, r.oldest, r.index
    limit 1`;
  const [rarest] = await readers.run<{ readonly index: number }>(unnamed(text), values, tenantId);
  return splits[rarest?.index ?? 0] ?? splitCriteria(criteria);
}
