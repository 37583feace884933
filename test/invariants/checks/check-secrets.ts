import type { History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Secrets appear in no text, and in no answer other than the one that creates them. */
export function checkSecrets(params: {
  readonly history: History;
  readonly secrets: readonly string[];
  /** Logs, tables and other readable texts, by name. */
  readonly texts: Readonly<Record<string, string>>;
}): Violation[] {
  const { history, secrets, texts } = params;
  const answers = history.deeds.filter(({ asks }) => asks.do !== 'mint' && asks.do !== 'effect');
  return [
    ...violations('a secret appears in no text', Object.entries(texts), ([name, text]) => {
      const found = secrets.findIndex((secret) => text.includes(secret));
      if (found === -1) return null;
      const at = text.indexOf(secrets[found] ?? '');
      return { about: { text: name, at }, saw: `the secret number ${found}` };
    }),
    ...violations('a secret appears in no answer', answers, (deed) => {
      const text = JSON.stringify(deed.answer?.body ?? {});
      const found = secrets.findIndex((secret) => text.includes(secret));
      if (found === -1) return null;
      return {
        about: { tenant: deed.tenantId, deed: deed.begun },
        saw: `the secret number ${found} in the answer to ${deed.asks.do}`,
      };
    }),
  ];
}
