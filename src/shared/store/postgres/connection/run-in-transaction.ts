import type pg from 'pg';

import { StoreUnavailableError } from '../../unavailable.ts';
import type { SessionSettings } from './session.ts';

/**
 * For a client behind a pooler in transaction mode, which gives each transaction any server process:
 * settings and statement in one transaction, sent together. The client must pipeline its queries.
 */
export async function runInTransaction<Row extends object>(
  client: pg.ClientBase,
  given: {
    readonly settings: SessionSettings;
    readonly text: string;
    readonly values: readonly unknown[];
  },
): Promise<pg.QueryResult<Row>> {
  const { settings, text, values } = given;
  const [begun, set, ran, ended] = await Promise.allSettled([
    client.query('begin'),
    client.query(SET, [Object.keys(settings), Object.values(settings)]),
    client.query<Row>(text, values as unknown[]),
    client.query('commit'),
  ]);
  for (const answer of [begun, set, ended]) {
    // The statement's own error says more than that of the commit after it.
    const first = answer === ended && ran.status === 'rejected' ? ran : answer;
    if (first.status === 'rejected') throw first.reason;
  }
  if (ran.status === 'rejected') throw ran.reason;
  if (ended.status === 'fulfilled' && ended.value.command !== 'COMMIT') {
    throw new StoreUnavailableError('database unavailable: the server rolled back', {
      ambiguous: false,
    });
  }
  return ran.value;
}

/** As the settings of this transaction alone. */
const SET = `
  select set_config(s.name, s.value, true)
  from unnest($1::text[], $2::text[]) as s (name, value)`;
