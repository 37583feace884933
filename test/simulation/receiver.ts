import { HttpError } from '../../src/shared/domain/http-error.ts';
import type { Http } from '../../src/shared/ports/http.ts';
import type { SecretBox } from '../../src/shared/ports/secret-box.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** Somebody who is told by webhooks, and the way there. */
export interface Receiver {
  httpOf(process: Process): Http;
  readonly arrivals: readonly Arrival[];
}

/** A message that arrived, and what the receiver said to it: heard or not. */
export interface Arrival {
  /** Header `webhook-id`. */
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

/** Keeps no secrets: there are none here. */
export const OPEN_BOX: SecretBox = {
  seal: ({ secret }) => ({ keyId: 'open', box: secret }),
  open: ({ sealed }) => sealed.box,
  currentKeyId: () => 'open',
};
