import type { ExecutionCriteria } from '../../../domain/execution/query/criteria.ts';
import type { SearchExecutions } from '../../executions.ts';
import { eachLabelFirst, RARITY_ENTRIES, splitCriteria } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { createBinds, orderBy, unnamed, writeDrive } from './write-drive.ts';

/**
 * The index of the first label with one value is read, so the label with the fewest entries comes first.
 * If all have many, their newest entries tell: those of the rarest reach back the farthest.
 */
export async function putRarestFirst(
  readers: PostgresPool,
  { tenantId, criteria, cursor }: Pick<SearchExecutions, 'tenantId' | 'criteria' | 'cursor'>,
): Promise<ExecutionCriteria> {
  const orders = eachLabelFirst(criteria);
  if (orders.length < 2) return criteria;
  const { values, bind } = createBinds();
  const entries = bind(RARITY_ENTRIES);
  const samples = orders.map((order, index) => {
    const { table, where, place } = writeDrive({ tenantId, cursor }, splitCriteria(order), bind);
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
  return orders[rarest?.index ?? 0] ?? criteria;
}
