import test from 'ava';

import type { DefinitionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import { compilePlan } from '../../../../src/shared/domain/workflow/plan/compile-plan.ts';
import { createDefinitionCache } from '../../../../src/shared/engine/advance/definition-cache.ts';
import { createKindRegistry, NODE_KINDS } from '../../../../src/shared/nodes/index.ts';
import type { StoredDefinition } from '../../../../src/shared/store/store.ts';

const ID = 'd' as DefinitionId;
const STORED: StoredDefinition = {
  definitionId: ID,
  tenantId: 't' as TenantId,
  workflowId: 'w',
  version: '1',
  revision: 1,
  irHash: 'h',
  ir: { workflow_id: 'w', nodes: {} },
  createdAt: '2026-01-01T00:00:00.000Z',
};
const kinds = createKindRegistry(NODE_KINDS);

function open(answer: () => Promise<StoredDefinition | null>) {
  let finds = 0;
  const cache = createDefinitionCache({
    definitions: {
      find() {
        finds += 1;
        return answer();
      },
      latestId: async () => ({ definitionId: ID, workflowPause: null }),
    },
    compile: (definition) => compilePlan(definition.ir, kinds),
  });
  return { cache, finds: () => finds };
}

test('a definition that many ask for at once is read once', async (t) => {
  const { cache, finds } = open(async () => STORED);
  const got = await Promise.all(Array.from({ length: 20 }, () => cache.get(ID)));
  t.is(new Set(got).size, 1);
  t.true(got.includes(await cache.get(ID)));
  t.is(finds(), 1);
});

test('a reading that failed is tried again by who asks next', async (t) => {
  let isDown = true;
  const { cache, finds } = open(async () => {
    if (isDown) throw new Error('down');
    return STORED;
  });
  const failed = await Promise.allSettled([cache.get(ID), cache.get(ID)]);
  t.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isDown = false;
  t.is((await cache.get(ID)).definition, STORED);
  t.is(finds(), 2);
});

test('the pause of the workflow comes with what would be started', async (t) => {
  const pause = { by: 'token:ops', reason: null, pausedAt: STORED.createdAt };
  const cache = createDefinitionCache({
    definitions: {
      find: async () => STORED,
      latestId: async () => ({ definitionId: ID, workflowPause: pause }),
    },
    compile: (definition) => compilePlan(definition.ir, kinds),
  });
  const of = { tenantId: STORED.tenantId, workflowId: 'w', version: null };
  t.is((await cache.latest(of))?.workflowPause, pause);
});
