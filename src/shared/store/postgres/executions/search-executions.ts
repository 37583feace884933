import type { ExecutionSearch, SearchExecutions, SearchPage } from '../../executions.ts';
import { takePage } from '../../rows/take-page.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { decodeListed, FOUND_COLUMNS, LISTED_COLUMNS, type ListedRecord } from '../rows.ts';
import { countExecutions } from './count-executions.ts';
import { groupFailedExecutions } from './group-failed.ts';
import { unnamed } from './write-drive.ts';
import { placeOf, writeSearch } from './write-search.ts';

/** `readers` is for what one tenant asks, under row-level security. */
export function createExecutionSearch(readers: PostgresPool): ExecutionSearch {
  return {
    search: (params) => searchExecutions(readers, params),
    groupFailed: (params) => groupFailedExecutions(readers, params),
    count: (params) => countExecutions(readers, params),
  };
}

async function searchExecutions(
  readers: PostgresPool,
  params: SearchExecutions,
): Promise<SearchPage> {
  const { tenantId, limit } = params;
  const oneMore = { ...params, limit: limit + 1 };
  const { text, values, bound } = await writeSearch(readers, oneMore, COLUMNS);
  const records = await readers.run<ListedRecord>(unnamed(text), values, tenantId);
  const { rows, last } = takePage(records, limit);
  return { rows: rows.map(decodeListed), next: last === undefined ? bound : placeOf(last) };
}

const COLUMNS = { found: FOUND_COLUMNS, columns: LISTED_COLUMNS, whole: false };
