import { setTimeout as delay } from 'node:timers/promises';

import type { ChaosCluster } from '../chaos/cluster/cluster.ts';
import type { Violation } from '../invariants/violation.ts';
import { sendRequest } from '../support/http.ts';
import type { FailoverDatabase, Promotion } from './failover-database.ts';
import { RECOVERY_MS_MAX } from './recovery-limit.ts';

const EVERY_MS = 100;
const ANSWER_MS_MAX = 6_000;

/** The first answer of each API process after each promotion, in milliseconds. */
export interface Recovery {
  readonly api: string;
  readonly node: string;
  readonly ms: number | null;
}

export interface RecoveryWatch {
  /** All promotions, by the clock of the run; known once it has stopped. */
  readonly promotions: readonly Promotion[];
  readonly recoveries: readonly Recovery[];
  /** By API process: the times of requests that were answered well, by the clock of the run. */
  readonly answered: ReadonlyMap<string, readonly number[]>;
  readonly stop: () => Promise<readonly Violation[]>;
}

/** Reads from the database through each API process, ten times a second, during the whole run. */
export function watchRecovery(params: {
  readonly cluster: ChaosCluster;
  readonly database: FailoverDatabase;
  /** The clock of the run. */
  readonly now: () => number;
}): RecoveryWatch {
  const { cluster, database, now } = params;
  const over = new AbortController();
  const found: Violation[] = [];
  const promotions: Promotion[] = [];
  const recoveries: Recovery[] = [];
  const answered = new Map<string, number[]>();

  async function look(url: string, index: number): Promise<void> {
    const times: number[] = [];
    answered.set(`api-${index + 1}`, times);
    while (!over.signal.aborted) {
      const began = now();
      await ask(url).then(
        (violation) => {
          if (violation === null) times.push(began);
          else if (violation !== 'unavailable') found.push(violation);
        },
        () => undefined,
      );
      await delay(EVERY_MS);
    }
  }

  async function ask(url: string): Promise<Violation | 'unavailable' | null> {
    const { status, headers } = await sendRequest(url, {
      path: '/executions?limit=1',
      token: cluster.apiKey,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    if (status === 200) return null;
    if (status === 503 && headers.get('retry-after') !== null) return 'unavailable';
    return {
      rule: 'without a primary, the API answers 503 with Retry-After',
      about: { api: url },
      saw: `status ${status}, Retry-After ${headers.get('retry-after') ?? 'missing'}`,
    };
  }

  const looking = cluster.directUrls.map((url, index) => look(url, index));
  return {
    promotions,
    recoveries,
    answered,
    async stop() {
      // The last promotion may have been just now.
      await delay(RECOVERY_MS_MAX);
      over.abort();
      await Promise.all(looking);
      const ahead = performance.now() - now();
      for (const { node, at } of await database.readPromotions()) {
        promotions.push({ node, at: at - ahead });
      }
      for (const [index, { node, at }] of promotions.entries()) {
        const until = promotions[index + 1]?.at ?? Infinity;
        for (const [api, times] of answered) {
          const first = times.find((time) => time >= at && time < until);
          // The next promotion came too soon for an answer.
          if (first === undefined && until - at <= RECOVERY_MS_MAX) continue;
          const ms = first === undefined ? null : Math.round(first - at);
          recoveries.push({ api, node, ms });
        }
      }
      return [
        ...found,
        ...recoveries
          .filter(({ ms }) => ms === null || ms > RECOVERY_MS_MAX)
          .map(({ api, node, ms }) => ({
            rule: `each API process recovers within ${RECOVERY_MS_MAX} ms of a promotion`,
            about: { api, node },
            saw: ms === null ? 'it never recovered' : `${ms} ms`,
          })),
      ];
    },
  };
}
