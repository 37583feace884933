import { order } from '../../../examples/typescript/order.ts';
import { onBothStores } from '../../support/both-stores.ts';

const check = onBothStores();

interface Registered {
  readonly workflow_id: string;
  readonly revision: number;
  readonly ir_hash: string;
}

check(
  '201: a built workflow is registered, and the same program again is the same revision',
  async (t, svc) => {
    const first = await svc.post<Registered>('/workflows', { ir: order.toIR() });
    const again = await svc.post<Registered>('/workflows', { ir: order.toIR() });
    t.is(first.status, 201);
    t.like(first.body, { workflow_id: 'order', revision: 1 });
    t.deepEqual(again.body, first.body);
    return first.body;
  },
);
