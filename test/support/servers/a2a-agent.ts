import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  AgentCard,
  formatSSEEvent,
  Role,
  TaskState,
  type Message,
  type Part,
  type TaskStatus,
} from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';

import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import { startHttpServer } from './http-server.ts';

/** One message that the agent works on. */
export interface Turn {
  readonly messageId: string;
  readonly text: string;
  readonly data: JsonValue;
  readonly skill: JsonValue;
  /** The number of earlier messages of this task. */
  readonly index: number;
  become(state: keyof typeof TaskState, text?: string): void;
  artifact(content: { readonly text?: string; readonly data?: JsonValue }): void;
  /** Answers without a task. */
  reply(text: string): void;
}

export interface TestAgent {
  readonly url: string;
  /** Ids of the messages that it has processed, in order. */
  readonly messages: readonly string[];
  /** Methods called, in order. */
  readonly methods: readonly string[];
  readonly cancelled: readonly string[];
  readonly headers: readonly IncomingMessage['headers'][];
  close(): Promise<void>;
}

export interface TestAgentOptions {
  readonly version?: '1.0' | '0.3';
  readonly streaming?: boolean;
  /** Changes the card before it is served. */
  readonly card?: (card: JsonObject) => JsonObject;
  /** Handles a call itself; returns true when it has answered. */
  readonly intercept?: (method: string, response: ServerResponse) => boolean | Promise<boolean>;
}

/** An agent on the official SDK's server, which works as the script says. */
export async function startTestAgent(
  work: (turn: Turn) => void | Promise<void>,
  options: TestAgentOptions = {},
): Promise<TestAgent> {
  const { version = '1.0', streaming = true } = options;
  const messages: string[] = [];
  const methods: string[] = [];
  const cancelled: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const turns = new Map<string, number>();
  const executor = {
    async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
      const { taskId } = context;
      const index = turns.get(taskId) ?? 0;
      turns.set(taskId, index + 1);
      messages.push(context.userMessage.messageId);
      await work(createTurn(context, bus, index));
      bus.finished();
    },
    async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
      cancelled.push(taskId);
      const status = statusOf(TaskState.TASK_STATE_CANCELED, { taskId, contextId: '' });
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }));
      bus.finished();
    },
  };
  const server = await startHttpServer((request, response) => {
    headers.push(request.headers);
    void serve(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  const skill = { id: 'work', name: 'Work', description: 'Works.', tags: [] };
  const common = {
    name: 'Test agent',
    description: 'Works as its script says.',
    version: '1',
    capabilities: { streaming },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [skill],
  };
  const interfaces = [
    { url: `${server.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: version },
  ];
  const served =
    version === '1.0'
      ? { ...common, supportedInterfaces: interfaces }
      : {
          ...common,
          url: `${server.url}/rpc`,
          preferredTransport: 'JSONRPC',
          protocolVersion: '0.3.0',
        };
  const card = AgentCard.fromJSON({ ...common, supportedInterfaces: interfaces });
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const transport =
    version === '1.0'
      ? new JsonRpcTransportHandler(handler)
      : new LegacyJsonRpcTransportHandler(handler);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      const isCard = request.url === '/.well-known/agent-card.json';
      response.writeHead(isCard ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isCard ? (options.card?.(served) ?? served) : {}));
      return;
    }
    const body = await readBody(request);
    const method = String((body as { readonly method: unknown }).method);
    methods.push(method);
    if ((await options.intercept?.(method, response)) === true) return;
    const context = new ServerCallContext({ requestedVersion: version });
    const answer = await transport.handle(body, context);
    if (!(Symbol.asyncIterator in answer)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const event of answer) response.write(formatSSEEvent(event));
    response.end();
  }

  return { url: server.url, messages, methods, cancelled, headers, close: () => server.close() };
}

function createTurn(context: RequestContext, bus: ExecutionEventBus, index: number): Turn {
  const { taskId, contextId, userMessage } = context;
  const ids = { taskId, contextId };
  const contents = userMessage.parts.map(({ content }) => content);
  let isKnown = context.task !== undefined;
  const begin = () => {
    if (isKnown) return;
    isKnown = true;
    const status = statusOf(TaskState.TASK_STATE_SUBMITTED, ids);
    const history = [userMessage];
    const task = { id: taskId, contextId, status, artifacts: [], history, metadata: undefined };
    bus.publish(AgentEvent.task(task));
  };
  return {
    messageId: userMessage.messageId,
    text: contents.find((content) => content?.$case === 'text')?.value ?? '',
    data: (contents.find((content) => content?.$case === 'data')?.value ?? null) as JsonValue,
    skill: (userMessage.metadata?.['skill'] ?? null) as JsonValue,
    index,
    become(state, text) {
      begin();
      const status = statusOf(TaskState[state], ids, text);
      bus.publish(AgentEvent.statusUpdate({ ...ids, status, metadata: undefined }));
    },
    artifact({ text, data }) {
      begin();
      const parts = [
        ...(text === undefined ? [] : [partOf({ $case: 'text', value: text })]),
        ...(data === undefined ? [] : [partOf({ $case: 'data', value: data })]),
      ];
      const artifact = {
        artifactId: randomUUID(),
        name: 'made',
        description: '',
        parts,
        metadata: undefined,
        extensions: [],
      };
      const rest = { append: false, lastChunk: true, metadata: undefined };
      bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact, ...rest }));
    },
    reply(text) {
      bus.publish(AgentEvent.message(messageOf({ taskId: '', contextId }, text)));
    },
  };
}

interface Ids {
  readonly taskId: string;
  readonly contextId: string;
}

function statusOf(state: TaskState, ids: Ids, text?: string): TaskStatus {
  const message = text === undefined ? undefined : messageOf(ids, text);
  return { state, message, timestamp: new Date().toISOString() };
}

function messageOf(ids: Ids, text: string): Message {
  return {
    messageId: randomUUID(),
    ...ids,
    role: Role.ROLE_AGENT,
    parts: [partOf({ $case: 'text', value: text })],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function partOf(content: NonNullable<Part['content']>): Part {
  return { content, metadata: undefined, filename: '', mediaType: '' };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}
