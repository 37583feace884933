import type { KindRegistry } from '../domain/workflow/kind-registry.ts';
import type { StartsHere } from './advance/starts-here.ts';
import type { EngineDeps } from './deps.ts';
import type { FollowedEvents } from './executions/followed-events.ts';
import type { Histories } from './executions/history/histories.ts';
import type { StateFolds } from './executions/history/state-folds.ts';
import type { ClaimPace } from './scheduling/claim-pace.ts';
import type { LookTurns } from './work/look-turns.ts';
import type { QueueNews } from './work/queue-news.ts';
import type { WaitingClaims } from './work/waiting-claims.ts';
import type { EndLooks } from './wake/end-looks.ts';
import type { WorkerLeases } from './work/worker-leases.ts';
import type { WorkerAnnouncements } from './work/worker-announcements.ts';

/**
 * The engine as its use cases are given it: `useCase(deps, caller, params)`. A use case may throw a
 * `SvcError` (400, 404, 409, 429, as the interface document and the decisions say) or a
 * `StoreUnavailableError`.
 */
export interface UseCaseDeps extends EngineDeps {
  readonly kinds: KindRegistry;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly histories: Histories;
  readonly stateFolds: StateFolds;
  readonly followedEvents: FollowedEvents;
  readonly endLooks: EndLooks;
  readonly startsHere: StartsHere;
  readonly workerLeases: WorkerLeases;
  readonly claimPace: ClaimPace;
  readonly lookTurns: LookTurns;
  readonly queueNews: QueueNews;
  readonly waitingClaims: WaitingClaims;
  readonly workerAnnouncements: WorkerAnnouncements;
}
