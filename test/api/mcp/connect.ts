import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { TestApi } from '../support/test-api.ts';

export interface McpCaller {
  readonly client: Client;
  /** Returns the answer of a tool; throws its error. */
  use(name: string, args?: JsonObject): Promise<JsonObject>;
  /** Returns the message of a tool that must fail. */
  fail(name: string, args?: JsonObject): Promise<string>;
}

/** A client of the official SDK, connected to the API's `/mcp`. */
export async function connectMcp(
  api: Pick<TestApi, 'url'>,
  options: {
    readonly token: string | null;
    readonly headers?: Readonly<Record<string, string>>;
    /** The revision of the protocol; by default the handshake of 2025. */
    readonly revision?: '2026-07-28';
  },
): Promise<McpCaller> {
  const { token, headers, revision } = options;
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', api.url), {
    requestInit: {
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    },
  });
  await client.connect(transport);
  const call = async (name: string, args: JsonObject = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    const [content] = result.content;
    const text = content?.type === 'text' ? content.text : '';
    return { failed: result.isError === true, text, answer: result.structuredContent };
  };
  return {
    client,
    async use(name, args) {
      const { failed, text, answer } = await call(name, args);
      if (failed) throw new Error(`${name}: ${text}`);
      return answer as JsonObject;
    },
    async fail(name, args) {
      const { failed, text } = await call(name, args);
      if (!failed) throw new Error(`${name} answered ${text}`);
      return text;
    },
  };
}
