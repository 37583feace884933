import type { Caller } from '../../../shared/engine/caller.ts';
import type { UseCaseDeps } from '../../../shared/engine/use-case-deps.ts';
import type { ClaimedWork } from '../../../shared/engine/work/hand-out-items.ts';
import { releaseUnworked } from '../../../shared/engine/work/release-work-item.ts';

/**
 * Releases claimed items when their caller goes away before the answer is written: nobody works on
 * them, and their leases would only expire, which uses an attempt. Not for a claim with an id, whose
 * worker asks again and must find them.
 */
export function releaseUnanswered(params: {
  readonly engine: UseCaseDeps;
  readonly caller: Caller;
  readonly claimed: readonly ClaimedWork[];
  /** Aborts when the caller goes away. */
  readonly gone: AbortSignal;
}): void {
  const { engine, caller, claimed, gone } = params;
  if (claimed.length === 0) return;
  const release = (): void => {
    const items = claimed.map(({ record: { workItemId }, leaseFence }) => ({
      workItemId,
      leaseFence,
    }));
    void releaseUnworked(engine, caller, items);
  };
  if (gone.aborted) release();
  else gone.addEventListener('abort', release, { once: true });
}
