import test from 'ava';

import { tools } from '../../../src/api/mcp/tools.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { startEmbeddingProvider } from '../../support/servers/embedding-provider.ts';
import { fillTenant } from '../support/fill-tenant.ts';
import { startTestApi } from '../support/test-api.ts';
import { connectMcp } from './connect.ts';

/* The operator of one tenant uses every tool on objects of another. */

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: no tool tells or changes anything of another tenant`, async (t) => {
    const provider = await startEmbeddingProvider();
    t.teardown(() => provider.close());
    const api = await startTestApi({ dialect, memory: { embeddingBaseUrl: provider.url } });
    t.teardown(() => api.close());
    for (const id of ['alpha', 'beta']) {
      await api.call({ path: '/tenants', body: { id, name: `${id} canary` } });
    }
    const ids = await fillTenant(api, 'alpha');
    const token = await api.mint({ role: 'operator', tenant: 'beta' });
    const mcp = await connectMcp(api, { token });
    t.teardown(() => mcp.client.close());
    const before = await rowsOfAlpha(api.database);

    const [execution_id = ''] = ids.executionIds;
    const more: Readonly<Record<string, JsonObject>> = {
      start_execution: { workflow_id: ids.workflowId, input: {} },
      approve_execution: { decision: 'approved' },
      send_external_event: { correlation_key: 'k', payload: {} },
      recall_facts: { query: 'canary' },
    };
    for (const { name, idArgument } of tools) {
      const args = { ...more[name], ...(idArgument === undefined ? {} : { execution_id }) };
      const result = await mcp.client.callTool({ name, arguments: args });
      const text = JSON.stringify(result);
      const told = [...ids.all, 'canary'].filter(
        (word) => text.includes(word) && !JSON.stringify(args).includes(word),
      );
      t.deepEqual(told, [], `${name}: ${text}`);
      if (idArgument !== undefined) t.true(result.isError, name);
    }
    const after = new Set(await rowsOfAlpha(api.database));
    t.deepEqual(
      before.filter((row) => !after.has(row)),
      [],
    );
  });
}

async function rowsOfAlpha(database: {
  readonly contents: () => Promise<Readonly<Record<string, readonly string[]>>>;
}): Promise<readonly string[]> {
  // The runtime writes the last contact of a worker with a delay.
  const { workers: _, ...tables } = await database.contents();
  return Object.values(tables).flatMap((rows) => rows.filter((row) => row.includes('alpha')));
}
