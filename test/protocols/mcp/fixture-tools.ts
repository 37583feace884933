import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';

/** The smallest possible picture and sound. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
/** The pause between two notifications, so that they arrive separately. */
const STEP_MS = 50;

const ANSWERS: Readonly<Record<string, CallToolResult['content']>> = {
  test_simple_text: [{ type: 'text', text: 'plain text' }],
  test_image_content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  // The server doesn't log to clients or ask them, so these two only answer.
  test_logging_tool: [{ type: 'text', text: 'nothing was logged' }],
  test_streaming_elicitation: [{ type: 'text', text: 'nothing was asked' }],
  test_embedded_resource: [resource('test://embedded-resource', 'text/plain', 'embedded')],
  test_multiple_content_types: [
    { type: 'text', text: 'several' },
    { type: 'image', data: PNG, mimeType: 'image/png' },
    resource('test://mixed-content-resource', 'application/json', '{"several": true}'),
  ],
};

/** Registers the tools that the conformance kit calls by name. */
export function addFixtureTools(server: McpServer): void {
  for (const [name, content] of Object.entries(ANSWERS)) {
    server.registerTool(name, describe(name), async () => ({ content }));
  }
  server.registerTool('test_error_handling', describe('fails'), async () => {
    throw new Error('refused on purpose');
  });
  server.registerTool('test_tool_with_progress', describe('takes a while'), async (_, context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await context.mcpReq.notify({ method: 'notifications/progress', params });
      }
      await sleep(STEP_MS);
    }
    return { content: [{ type: 'text', text: 'done' }] };
  });
}

function describe(what: string) {
  return { description: `For the conformance kit: ${what}`, inputSchema: NOTHING };
}

function resource(uri: string, mimeType: string, text: string) {
  return { type: 'resource', resource: { uri, mimeType, text } } as const;
}

const show = () => ({ type: 'object', properties: {} });

const NOTHING: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: show, output: show },
  },
};
