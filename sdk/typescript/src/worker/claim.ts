import { NoAnswerError, send, type Answer } from './send.ts';
import { logRetry } from './log-retry.ts';
import { backOffMs, pause } from './pause.ts';
import { refusal } from './refusal.ts';
import type { Settings } from './worker-options.ts';

export interface Claim {
  /** A UUID: a repeated claim gets what this one has leased. */
  readonly claimId: string;
  readonly itemsMax: number;
  readonly waitMs: number;
}

const ANSWER_MS_MAX = 10_000;

/** Claims once. Rejects with `NoAnswerError` when the runtime may have leased items to the claim. */
export function sendClaim(
  { api, workerId, tools, functions, queues, buildId }: Settings,
  claim: Claim & {
    readonly isRepeated: boolean;
    /** The worker stops. */
    readonly isLast?: boolean;
    /** A JSON array of reports that travel with the claim. */
    readonly reports?: string;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
  },
): Promise<Answer> {
  const { claimId, itemsMax, waitMs, isRepeated, isLast = false, reports } = claim;
  const body = JSON.stringify({
    worker_id: workerId,
    queue_types: [
      ...(functions.size > 0 ? ['function'] : []),
      ...(tools.size > 0 ? ['python_tool', 'java_tool'] : []),
    ],
    tools: [...new Set([...functions.keys(), ...tools.keys()])],
    ...(queues !== null && { queues }),
    ...(buildId !== null && { build_id: buildId }),
    wait_ms: waitMs,
    max_items: itemsMax,
    claim_id: claimId,
    ...(isRepeated && { repeated: true }),
    ...(isLast && { last: true }),
  });
  return send(api, {
    path: '/work-items/claim',
    json: reports === undefined ? body : `${body.slice(0, -1)},"reports":${reports}}`,
    timeoutMs: claim.timeoutMs ?? waitMs + ANSWER_MS_MAX,
    signal: claim.signal,
  });
}

/**
 * Claims until there is an answer. Null when the signal aborts first: the runtime may have leased items to
 * the claim.
 */
export async function claimUntilAnswered(
  settings: Settings,
  claim: Claim & {
    /** The claim was sent before, and its answer did not come. */
    readonly isRepeated: boolean;
    readonly isLast?: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Answer | null> {
  const { logger, workerId, clock } = settings;
  const { signal } = claim;
  const sinceMs = clock.nowMs();
  for (let failures = 0; !signal.aborted;) {
    try {
      const isRepeated = claim.isRepeated || failures > 0;
      // After a failure the answer comes at once, so that the log says when the runtime is back.
      const waitMs = failures > 0 ? 0 : claim.waitMs;
      const answer = await sendClaim(settings, { ...claim, isRepeated, waitMs });
      if (answer.status !== 200) throw refusal(answer, settings.api);
      if (failures > 0) logger.info({ worker_id: workerId }, 'the runtime answers again');
      return answer;
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof NoAnswerError)) throw error;
      failures += 1;
      logRetry(settings, 'cannot claim, trying again', { error, failures, sinceMs });
      await pause(Math.max(backOffMs(failures, Math.random()), error.retryAfterMs), signal);
    }
  }
  return null;
}
