import type { Runtime } from '../support/runtime.ts';
import type { Ledger } from './ledger.ts';
import type { FuzzRequest } from './requests.ts';
import type { Sender } from './sender.ts';
import { compareStates, readQuietState, readState } from './watch-state.ts';

/**
 * Whatever is refused must change nothing. Requests that were refused are sent again between two
 * looks at the whole database, since others of their batch may have changed something; when the looks
 * differ, each alone.
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
  // One that succeeds now because others did meanwhile has changed something for good reason.
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
  sender.find({ rule: 'what is refused changes nothing', detail }, request, null);
}

const SOON_MS = 15 * 60_000;

/** Takes away schedules that changed requests have made and that would fire while others look. */
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
