import type { TestApi } from './test-api.ts';

export interface TestStream {
  readonly status: number;
  readonly headers: Headers;
  /** Text up to and including the next blank line; null at the end of the stream. */
  next(): Promise<string | null>;
  /** The remaining text, up to the end. */
  rest(): Promise<string>;
  /** Drops the connection. */
  leave(): void;
}

export async function openStream(
  api: TestApi,
  params: {
    readonly path: string;
    readonly token?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent as JSON by POST. */
    readonly body?: object;
  },
): Promise<TestStream> {
  const leaving = new AbortController();
  const response = await fetch(`${api.url}${params.path}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${params.token ?? api.operatorToken}`,
      ...(params.body !== undefined && { 'content-type': 'application/json' }),
      ...params.headers,
    },
    signal: leaving.signal,
    ...(params.body !== undefined && { method: 'POST', body: JSON.stringify(params.body) }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  const next = async (): Promise<string | null> => {
    for (;;) {
      const end = buffered.indexOf('\n\n');
      if (end !== -1) {
        const block = buffered.slice(0, end + 2);
        buffered = buffered.slice(end + 2);
        return block;
      }
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return null;
      buffered += chunk.value;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    rest: async () => {
      let text = '';
      for (let block = await next(); block !== null; block = await next()) text += block;
      return text;
    },
    leave: () => leaving.abort(),
  };
}
