import { HttpError } from '../../src/shared/domain/http-error.ts';
import type { Http } from '../../src/shared/ports/http.ts';
import type { SecretBox } from '../../src/shared/ports/secret-box.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** The receiver of webhooks, and the HTTP client that reaches it. */
export interface Receiver {
  httpOf(process: Process): Http;
  readonly arrivals: readonly Arrival[];
}

/** A message that arrived, and the receiver's status, even if the answer was lost. */
export interface Arrival {
  /** The header `webhook-id`. */
  readonly messageId: string;
  readonly status: number;
}

export function createReceiver(params: {
  readonly world: World;
  readonly dice: Dice;
  readonly faults: Faults;
}): Receiver {
  const { world, dice, faults } = params;
  const arrivals: Arrival[] = [];
  const latencyMs = () => 1 + dice.fraction() * 20;
  return {
    arrivals,
    httpOf: (process) => ({
      fetch: ({ url, headers = {}, timeoutMs }) =>
        new Promise((resolve, reject) => {
          const answer = (ms: number, settle: () => void): void =>
            void world.after(ms, () => process.enter(settle));
          if (faults.strikes('receiver_away')) {
            return answer(latencyMs(), () => reject(new HttpError('unreachable', url)));
          }
          world.after(latencyMs(), () => {
            const status = faults.strikes('receiver_fails') ? 500 : 204;
            const messageId = headers['webhook-id'] ?? '';
            arrivals.push({ messageId, status });
            world.note(`${process.name} told the receiver, which says ${status}`);
            if (faults.strikes('receiver_mute')) {
              return answer(timeoutMs, () => reject(new HttpError('timed_out', url)));
            }
            answer(latencyMs(), () => resolve({ status, headers: {}, body: NOTHING, url }));
          });
        }),
    }),
  };
}

const NOTHING = new Uint8Array();

/** Stores secrets unencrypted, because the simulation has none. */
export const OPEN_BOX: SecretBox = {
  seal: ({ secret }) => ({ keyId: 'open', box: secret }),
  open: ({ sealed }) => sealed.box,
  currentKeyId: () => 'open',
};
