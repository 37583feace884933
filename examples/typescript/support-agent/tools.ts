import { sendJson } from '../send-json.ts';
import type { Call } from './model.ts';

const ORDER = {
  type: 'object',
  properties: { order_id: { type: 'string' } },
  required: ['order_id'],
};

/** The tools of the agent, as the model learns them. */
export const TOOLS = [
  {
    type: 'function',
    function: { name: 'find_order', description: 'Look up an order', parameters: ORDER },
  },
  {
    type: 'function',
    function: { name: 'refund', description: 'Pay the price of an order back', parameters: ORDER },
  },
];

export function costsMoney({ tool }: Call): boolean {
  return tool !== 'find_order';
}

/** Calls the shop. The order names its refund: a second request pays nothing. */
export async function runTool({ tool, orderId }: Call): Promise<string> {
  const { SHOP_URL = 'http://127.0.0.1:8082' } = process.env;
  const at = encodeURIComponent(orderId);
  const answer =
    tool === 'refund'
      ? await sendJson<unknown>('PUT', `${SHOP_URL}/refunds/${at}`, {})
      : await sendJson<unknown>('GET', `${SHOP_URL}/orders/${at}`);
  return JSON.stringify(answer);
}
