import type { SecretBox } from '../../ports/secret-box.ts';
import type { SealedWebhook, WebhookStore } from '../../store/webhooks.ts';
import { keyIdOf, openWebhookSecret, sealWebhookSecret } from './webhook-secret.ts';

export interface ResealedWebhooks {
  readonly resealed: number;
  /** Sealed with the newest key already, or changed meanwhile. */
  readonly current: number;
  /** Webhooks whose secret no known encryption key opens. */
  readonly unreadable: readonly string[];
}

/** Seals every webhook's secret with the newest encryption key. May be broken off and run again. */
export async function resealWebhooks(params: {
  readonly store: Pick<WebhookStore, 'listSealed' | 'replaceSecret'>;
  readonly secrets: SecretBox;
}): Promise<ResealedWebhooks> {
  const { store, secrets } = params;
  const newest = secrets.currentKeyId();
  const unreadable: string[] = [];
  let [resealed, current] = [0, 0];
  let after: string | null = null;
  for (;;) {
    const page: readonly SealedWebhook[] = await store.listSealed({ after, limit: PAGE });
    for (const webhook of page) {
      const isCurrent = keyIdOf(webhook.secret) === newest;
      const secret = isCurrent ? null : openWebhookSecret(secrets, webhook);
      if (isCurrent) current += 1;
      else if (secret === null) unreadable.push(webhook.webhookId);
      else {
        const to = sealWebhookSecret(secrets, { ...webhook, secret });
        if (await store.replaceSecret({ ...webhook, from: webhook.secret, to })) resealed += 1;
        else current += 1;
      }
    }
    after = page.at(-1)?.webhookId ?? null;
    if (page.length < PAGE) return { resealed, current, unreadable };
  }
}

const PAGE = 100;
