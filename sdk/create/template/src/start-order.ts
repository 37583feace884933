import { createClient } from 'svc-sdk/client';

import { order } from './order.ts';

const client = createClient();
const handle = await client.start(order, { item: 'book', amount: 25 });
console.log(`started ${handle.id}`);
console.log(await handle.result({ timeout: '30s' }));
