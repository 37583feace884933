import { WEBHOOKS_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Sends the messages of webhooks. Every scheduler does this; one of them claims each message. */
export function deliverWebhooks({ webhookDelivering, wake, now }: LoopContext): LoopDefinition {
  let lastHint = -Infinity;
  return {
    name: 'deliver-webhooks',
    part: 'work',
    restMs: { min: 100, max: 1_000, quietMax: 60_000 },
    // A hint says that there may be a message; it comes with every end of an execution, also where
    // no tenant has a webhook.
    wakeOn: (listener) =>
      wake.subscribe(WEBHOOKS_TOPIC, () => {
        if (now() - lastHint < HINT_EVERY_MS) return;
        lastHint = now();
        listener();
      }),
    run: () => webhookDelivering.round(),
  };
}

const HINT_EVERY_MS = 1_000;
