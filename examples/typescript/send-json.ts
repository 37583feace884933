import { NonRetryableError } from 'svc-sdk/worker';

const SECONDS_MAX = 10;

/**
 * Sends JSON and gives the JSON of the answer, or null for an empty one. A refusal (4xx) throws a
 * NonRetryableError: the same request would be refused again. Every other failure throws an Error,
 * after which the step is retried.
 */
export async function sendJson<Answer>(
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(SECONDS_MAX * 1000),
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (response.ok) return (text === '' ? null : JSON.parse(text)) as Answer;
  const message = `${method} ${url} answered ${response.status}: ${text.slice(0, 200)}`;
  const isRefused = response.status < 500 && ![408, 429].includes(response.status);
  throw isRefused ? new NonRetryableError(message) : new Error(message);
}
