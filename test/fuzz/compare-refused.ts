import type { Runtime } from '../support/runtime.ts';
import type { Ledger } from './ledger.ts';
import type { FuzzRequest } from './requests.ts';
import type { Sender } from './sender.ts';
import { compareStates, readQuietState, readState } from './watch-state.ts';

/**
 * Checks that refused requests change nothing. It sends all refused requests of a batch again
 * between two reads of the whole database, because other requests of the batch may have changed
 * something. If the reads differ, it sends each request alone.
 */
export async function compareRefused(params: {
  readonly refused: readonly FuzzRequest[];
  readonly databaseUrl: string;
  readonly sender: Sender;
  readonly ledger: Ledger;
}): Promise<void> {
  const { refused, databaseUrl, sender, ledger } = params;
  const before = await readQuietState(databaseUrl);
  if (before === null) {
    ledger.unquiet += 1;
    return;
  }
  const again: FuzzRequest[] = [];
  for (const request of refused) {
    if (isRefusal(await sender.send(request, null))) again.push(request);
  }
  // A request that now succeeds, because other requests have changed something, may change the
  // database.
  if (again.length < refused.length) return compareRefused({ ...params, refused: again });
  ledger.stateChecked += refused.length;
  if (compareStates(before, await readState(databaseUrl)).length === 0) return;
  for (const request of refused) await compareOne({ ...params, request });
}

export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}

async function compareOne(params: {
  readonly request: FuzzRequest;
  readonly databaseUrl: string;
  readonly sender: Sender;
}): Promise<void> {
  const { request, databaseUrl, sender } = params;
  const before = await readQuietState(databaseUrl);
  if (before === null || !isRefusal(await sender.send(request, null))) return;
  const changes = compareStates(before, await readState(databaseUrl));
  if (changes.length === 0) return;
  const detail = changes.slice(0, 4).join('\n').slice(0, 1_000);
  sender.find({ rule: 'a refused request changes nothing', detail }, request, null);
}

const SOON_MS = 15 * 60_000;

/** Deletes schedules that fuzzed requests have created and that would fire soon. */
export async function endSchedules(runtime: Runtime, tenantId: string): Promise<void> {
  const { body } = await runtime.request<{
    readonly schedules?: readonly {
      readonly schedule_id: string;
      readonly next_fires: readonly string[];
    }[];
  }>({ path: '/schedules?limit=500', tenantId });
  for (const { schedule_id: id, next_fires: fires } of body.schedules ?? []) {
    const [next = ''] = fires;
    if (!(Date.parse(next) - Date.now() < SOON_MS)) continue;
    await runtime.request({ method: 'DELETE', path: `/schedules/${id}`, tenantId });
  }
}
