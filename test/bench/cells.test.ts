import test from 'ava';

import { listCells } from '../../bench/cells.ts';
import { listPeerCells } from '../../bench/peers.ts';
import { SERVING_OPTIONS } from '../../bench/support/serving-options.ts';

const CONTAIN_THE_ENGINE =
  /^workloads\/(executions|backlog|churn|embedded-workers|recall-window)\.ts$/;

test('a process that contains the engine has the options of the product, and no other has them', (t) => {
  const given = { churnSeconds: 60, idleSeconds: 60, seconds: 4, large: true };
  const cells = [...listCells({ pgbench: null, ...given }), ...listPeerCells()];
  const contain = cells.filter(({ module }) => CONTAIN_THE_ENGINE.test(module));
  t.is(new Set(contain.map(({ module }) => module)).size, 5);
  const withOptions = cells.filter(({ nodeOptions }) => nodeOptions !== undefined);
  t.deepEqual(withOptions, contain);
  for (const { nodeOptions } of withOptions) t.is(nodeOptions, SERVING_OPTIONS);
});
