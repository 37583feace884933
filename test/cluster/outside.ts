import type { JsonObject } from '../../src/shared/domain/json.ts';
import { startTestAgent } from '../support/servers/a2a-agent.ts';
import { startFakeModelProvider } from '../support/servers/fake-model-provider.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { startMcpServer } from '../support/servers/mcp-server.ts';

/** An outside system that a node calls. */
export interface Outside {
  readonly kind: string;
  /** The node that calls the system, and the other parts of its workflow. */
  readonly node: JsonObject;
  readonly parts: JsonObject;
  /** The environment of the runtime. */
  readonly env: Readonly<Record<string, string>>;
  /** The idempotency keys of the calls, in order of arrival. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** Runs for each call when it arrives, before the answer. */
export type Hold = (call: number) => Promise<void>;

export async function startOutsides(hold: Hold): Promise<readonly Outside[]> {
  return Promise.all([startTool(hold), startModel(hold), startMcp(hold), startAgent(hold)]);
}

function record(hold: Hold): {
  readonly calls: string[];
  readonly arrive: (key: unknown) => Promise<void>;
} {
  const calls: string[] = [];
  return { calls, arrive: (key) => hold(calls.push(String(key)) - 1) };
}

async function startTool(hold: Hold): Promise<Outside> {
  const { calls, arrive } = record(hold);
  const server = await startHttpServer((request, response) => {
    void arrive(request.headers['idempotency-key']).then(() => {
      response.setHeader('content-type', 'application/json');
      response.end('{"ok": true}');
    });
  });
  return {
    kind: 'tool',
    node: { type: 'tool', tool_ref: 'pay' },
    parts: { tools: { pay: { kind: 'http', method: 'POST', reference: `${server.url}/pay` } } },
    env: { SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true' },
    calls,
    close: () => server.close(),
  };
}

async function startModel(hold: Hold): Promise<Outside> {
  const { calls, arrive } = record(hold);
  const provider = await startFakeModelProvider();
  provider.answer('gpt-5-mini', async ({ headers }) => {
    await arrive(headers['idempotency-key']);
    return { text: 'done', inputTokens: 3, outputTokens: 1 };
  });
  return {
    kind: 'model',
    node: { type: 'model', model_ref: 'm', prompt: 'Work.' },
    parts: { models: { m: { provider: 'openai', model: 'gpt-5-mini' } } },
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.baseUrls.openai },
    calls,
    close: () => provider.close(),
  };
}

async function startMcp(hold: Hold): Promise<Outside> {
  const { calls, arrive } = record(hold);
  const server = await startMcpServer({ onCall: ({ idempotencyKey }) => arrive(idempotencyKey) });
  return {
    kind: 'mcp_tool',
    node: { type: 'mcp_tool', server: 's', tool: 'echo' },
    parts: { mcp_servers: { s: { transport: 'streamable_http', url: `${server.url}/mcp` } } },
    env: { SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true' },
    calls,
    close: () => server.close(),
  };
}

async function startAgent(hold: Hold): Promise<Outside> {
  const { calls, arrive } = record(hold);
  const agent = await startTestAgent(async (turn) => {
    await arrive(turn.messageId);
    turn.become('TASK_STATE_COMPLETED', 'done');
  });
  return {
    kind: 'a2a_task',
    node: { type: 'a2a_task', remote_agent: 'a', skill: 'work' },
    parts: { remote_agents: { a: { url: agent.url } } },
    env: { SVC_AGENTS_ALLOW_PRIVATE_NETWORKS: 'true' },
    calls,
    close: () => agent.close(),
  };
}
