import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/** A call as a tool sees it. */
export interface SeenCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: unknown;
}

/** A server of the official SDK with the tools that tests call. */
export function createToolServer(onCall: (call: SeenCall) => void | Promise<void>): McpServer {
  const server = new McpServer(
    { name: 'tools', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  const add = (tool: string, answer: (args: Readonly<Record<string, unknown>>) => unknown) =>
    server.registerTool(tool, { inputSchema: ANYTHING }, async (given, context) => {
      const args = given as Readonly<Record<string, unknown>>;
      const meta = context.mcpReq._meta;
      await onCall({ tool, args, idempotencyKey: meta?.['svc/idempotency-key'] });
      return (await answer(args)) as never;
    });
  add('echo', (args) => ({ content: [text('echoed')], structuredContent: { args } }));
  add('text', () => ({ content: [text('plain words')] }));
  add('json', () => ({ content: [text('{"n": 1}')] }));
  add('several', () => ({
    content: [text('a'), { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  }));
  add('nothing', () => ({ content: [] }));
  add('fail', () => ({ content: [text('secret detail')], isError: true }));
  add('throw', () => {
    throw new Error('secret detail');
  });
  add('big', (args) => ({ content: [text('x'.repeat(Number(args['bytes'])))] }));
  add('hang', () => new Promise(() => undefined));
  add('exit', () => process.exit(1));
  add('env', () => ({ content: [], structuredContent: { ...process.env } }));
  return server;
}

function text(value: string) {
  return { type: 'text', text: value };
}

const show = () => ({ type: 'object' });

const ANYTHING: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: show, output: show },
  },
};
