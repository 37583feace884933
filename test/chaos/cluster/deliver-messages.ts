import { setTimeout as delay } from 'node:timers/promises';

import { runOnServer } from '../../support/database.ts';

/* A message that failed waits for minutes, and after some failures for hours. */

const PENDING = `select count(*)::int as pending from webhook_deliveries where status = 'pending'`;
const HURRY = `
  update webhook_deliveries
  set next_attempt_at = now()
  where status = 'pending'
    and next_attempt_at > now() + interval '1 second'`;
const EVERY_MS = 2_000;

/** After all faults, makes pending messages due, until none is left or the time is over. */
export async function deliverMessages(url: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const { rows } = await runOnServer(url, PENDING);
    if ((rows[0] as { readonly pending: number }).pending === 0) return;
    await runOnServer(url, HURRY);
    await delay(EVERY_MS);
  }
}
