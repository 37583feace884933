import type { MemoryDeps } from './deps.ts';
import type { Provider } from './settings-view.ts';

/** Embeds a word with the key and keeps nothing; null when it works, else what is wrong. */
export async function testMemorySettings(
  { embedder }: MemoryDeps,
  { apiKey }: { readonly provider: Provider; readonly apiKey: string },
): Promise<string | null> {
  const embedding = await embedder.embed({ apiKey, text: 'test' });
  if (embedding.ok) return null;
  switch (embedding.reason) {
    case 'key_invalid':
      return 'the provider does not accept this key';
    case 'rate_limited':
      return 'the provider limits the rate of requests with this key, or its credit is used up';
    case 'text_refused':
      return 'the provider does not offer the embedding model to this key';
    case 'unavailable':
      return `the embedding provider ${embedding.detail}`;
  }
}
