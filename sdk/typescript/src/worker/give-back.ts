import { type Claim, claimUntilAnswered } from './claim.ts';
import type { Reports } from './reports.ts';
import { releaseItem } from './settle-item.ts';
import { readItems } from './work-item.ts';
import type { Settings } from './worker-options.ts';

/** A runtime that does not answer in that time takes the items back when their leases end. */
const GIVE_BACK_MS_MAX = 2_000;

/**
 * Says that the worker stops: from then on it no longer counts among those that claim. It releases what the
 * runtime has leased to a claim whose answer it did not wait for: the runtime keeps these items for the
 * worker that repeats the claim. An older runtime may answer with one new item, which goes back too.
 */
export async function giveBack(
  settings: Settings,
  { claim, reports }: { readonly claim: Claim; readonly reports: Reports },
): Promise<void> {
  const { api, logger } = settings;
  const lost = AbortSignal.timeout(GIVE_BACK_MS_MAX);
  const stopping = { waitMs: 0, itemsMax: 1, isRepeated: true, isLast: true };
  const again = { ...claim, ...stopping, signal: lost };
  // A runtime that refuses the claim has leased nothing to this worker.
  const answer = await claimUntilAnswered(settings, again).catch(() => null);
  const items = answer === null ? [] : readItems(answer.body);
  await Promise.allSettled(items.map((item) => releaseItem({ api, reports, item, lost, logger })));
}
