import anyTest, { type TestFn } from 'ava';

import { changeTable } from '../support/stores.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

const test = anyTest as TestFn<{ apis: readonly TestApi[] }>;

const manyPolicies = (now: string): string => `
  insert into retention_policies (tenant_id, workflow_id, completed_days, updated_at)
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10002)
  select 'default', 'w' || n, 1, ${now} from numbers`;
const LISTS = ['executions', 'audit', 'workflows', 'retention/policies', 'tokens'];

test.before(async (t) => {
  t.context.apis = await Promise.all(
    (['sqlite', 'postgres'] as const).map((dialect) => startTestApi({ dialect })),
  );
});

test.after.always((t) => Promise.all(t.context.apis.map((api) => api.close())));

test.serial(
  '200: an offset behind the end of a list is an empty page, however large it is',
  async (t) => {
    for (const api of t.context.apis) {
      for (const name of LISTS) {
        const answer = await api.call({ path: `/${name}?limit=5&offset=900000` });
        t.is(answer.status, 200, name);
      }
    }
  },
);

test.serial(
  '400: an offset beyond the cap names the cursor to use, where the list is longer',
  async (t) => {
    for (const api of t.context.apis) {
      await changeTable(api.database.url)(
        manyPolicies(api.database.url.startsWith('postgres') ? 'now()' : '0'),
      );
      const path = '/retention/policies?limit=1';
      const last = await api.call({ path: `${path}&offset=10000` });
      t.is(last.status, 200);
      t.is((last.body['policies'] as readonly unknown[]).length, 1);
      const beyond = await api.call({ path: `${path}&offset=10001` });
      t.is(beyond.status, 400);
      t.regex(beyond.error, /offset must be at most 10000 .* cursor/);
    }
  },
);
