import type { Operation } from '../chaos/types.ts';
import { violations, type Violation } from '../invariants/violation.ts';

/** Statuses of a gateway: a provider behind the service failed, not the database. */
const OF_OTHERS = [502, 504];

/** However the database fails: a request that cannot be served is refused for a while, never broken. */
export function checkRefusals(operations: readonly Operation[]): readonly Violation[] {
  const failed = operations.filter(
    ({ answer }) => answer !== null && answer.status >= 500 && !OF_OTHERS.includes(answer.status),
  );
  return violations(
    'a request that the database keeps from an answer gets 503 with Retry-After',
    failed,
    ({ client, asks, beganAtMs, answer, retryAfter = null }) =>
      answer?.status === 503 && retryAfter !== null
        ? null
        : {
            about: { client, asks: asks.do, at: beganAtMs },
            saw: `status ${answer?.status}, Retry-After ${retryAfter ?? 'missing'}`,
          },
  );
}
