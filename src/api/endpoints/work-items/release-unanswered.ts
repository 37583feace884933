import type { Caller } from '../../../shared/engine/caller.ts';
import type { UseCaseDeps } from '../../../shared/engine/use-case-deps.ts';
import type { ClaimedWork } from '../../../shared/engine/work/hand-out-items.ts';
import { releaseWorkItem } from '../../../shared/engine/work/release-work-item.ts';
import { SvcError } from '../../../shared/domain/errors.ts';

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
    for (const { record, leaseFence } of claimed) {
      const { workItemId } = record;
      releaseWorkItem(engine, caller, { workItemId, leaseFence }).catch((error: unknown) => {
        // The lease has ended otherwise.
        if (error instanceof SvcError) return;
        engine.report.trouble('releasing an item failed', error);
      });
    }
  };
  if (gone.aborted) release();
  else gone.addEventListener('abort', release, { once: true });
}
