import { AgentCard, type StreamResponse } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import { isLegacyAgentCard, parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client';

import { AgentFailure } from '../../domain/a2a/agent-failure.ts';
import { isSettled } from '../../domain/a2a/agent-task.ts';
import type { A2aAgent, A2aTarget, SentMessage } from '../../ports/a2a.ts';
import { createAuthorizedFetch } from '../authorized-fetch.ts';
import type { A2aOptions } from './create-a2a-agents.ts';
import { fetchCard } from './fetch-card.ts';
import { createJudgedFetch } from './judged-fetch.ts';
import { shapeMessage } from './shape-message.ts';
import { readIds, readReply, readState, readTask, type Speaker } from './read-reply.ts';
import { toFailure } from './to-failure.ts';

/** For requests that an agent answers without work: a card, the present state of a task. */
const ANSWER_MS_MAX = 30_000;
/** Messages of a task that are asked for: enough to find our last one among them. */
const HISTORY = 20;

/** An agent as its card describes it, 1.0 and 0.3 by the SDK, over JSON-RPC or HTTP+JSON. */
export async function openAgent(
  params: A2aOptions & {
    readonly fetch: typeof globalThis.fetch;
    readonly target: A2aTarget;
    readonly signal: AbortSignal;
  },
): Promise<A2aAgent> {
  const { target, secrets } = params;
  const { name, tenantId } = target;
  const told = new Map<string, string>();
  const speaker: Speaker = { name, secrets: told };
  const failing = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await work();
    } catch (error) {
      throw toFailure(error, name);
    }
  };
  const authorized = createAuthorizedFetch({
    fetch: params.fetch,
    auth: target.auth,
    origin: originOf(target),
    readSecret: (secret) => secrets.read({ name: secret, tenantId }),
    onSecret: (secret, value) => told.set(secret, value),
    now: params.now,
  });
  const fetchImpl = createJudgedFetch({ fetch: authorized, name });
  const client = await failing(async () => {
    const signal = within(params.signal, ANSWER_MS_MAX);
    const raw = target.card ?? (await fetchCard({ target, fetch: fetchImpl, signal }));
    return createClient(readCard(raw, name), fetchImpl, name);
  });
  const card = await client.getAgentCard();

  return {
    skills: card.skills.flatMap(({ id, name: called }) => [id, called]),

    streams: card.capabilities?.streaming === true,

    send: (message, { stream, signal }) =>
      failing(async (): Promise<SentMessage> => {
        const request = shapeMessage(message);
        if (stream && card.capabilities?.streaming === true) {
          return follow(client.sendMessageStream(request, { signal }), speaker);
        }
        const reply = readReply(await client.sendMessage(request, { signal }), speaker);
        if (reply.kind === 'message') return reply;
        const { taskId, contextId } = reply.task;
        return { kind: 'task', taskId, contextId, rests: null };
      }),

    get: (taskId, signal) =>
      failing(async () => {
        const request = { tenant: '', id: taskId, historyLength: HISTORY };
        const task = await client.getTask(request, { signal: within(signal, ANSWER_MS_MAX) });
        return readTask(task, speaker);
      }),

    async watch(taskId, signal) {
      const stream = client.resubscribeTask({ tenant: '', id: taskId }, { signal });
      await drain(stream);
    },

    cancel: (taskId, signal) =>
      failing(async () => {
        const request = { tenant: '', id: taskId, metadata: undefined };
        await client.cancelTask(request, { signal: within(signal, ANSWER_MS_MAX) });
      }),
  };
}

function originOf({ url, name }: A2aTarget): string {
  if (URL.canParse(url)) return new URL(url).origin;
  throw new AgentFailure(`agent ${name} has no address that is a URL`, {
    errorClass: 'invalid_input',
    isFinal: true,
  });
}

function readCard(raw: object, name: string): AgentCard {
  const card = isLegacyAgentCard(raw) ? parseLegacyAgentCard(raw) : AgentCard.fromJSON(raw);
  const speaks = card.supportedInterfaces.some(
    ({ protocolBinding, url }) =>
      ['JSONRPC', 'HTTP+JSON'].includes(protocolBinding.toUpperCase()) && URL.canParse(url),
  );
  if (speaks) return card;
  throw new AgentFailure(`agent ${name} has no card with a supported interface`, {
    errorClass: 'unsupported',
    isFinal: true,
  });
}

function createClient(
  card: AgentCard,
  fetchImpl: typeof globalThis.fetch,
  name: string,
): Promise<Client> {
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    // The card has been read.
    cardResolver: new NoResolver(name),
    // So that the id of a task is known before it is waited for.
    clientConfig: { polling: true },
  });
  return factory.createFromAgentCard(card);
}

class NoResolver extends DefaultAgentCardResolver {
  constructor(name: string) {
    super({ fetchImpl: () => Promise.reject(new Error(`no card of ${name} is fetched here`)) });
  }

  override normalizeAgentCard(card: unknown): AgentCard {
    return card as AgentCard;
  }
}

async function follow(
  stream: AsyncGenerator<StreamResponse, void, undefined>,
  from: Speaker,
): Promise<SentMessage> {
  const first = await stream.next();
  const payload = first.done === true ? undefined : first.value.payload;
  if (payload === undefined) {
    throw new AgentFailure(`agent ${from.name} ended its answer without a word`, {
      errorClass: 'invalid_response',
    });
  }
  if (payload.$case === 'message') {
    await stream.return();
    const reply = readReply(payload.value, from);
    if (reply.kind === 'message') return reply;
  }
  const { taskId, contextId } = readIds(idsOf(payload), from);
  const rests = hasSettled(payload) ? stream.return().then(() => {}) : drain(stream);
  return { kind: 'task', taskId, contextId, rests: rests.catch(() => {}) };
}

type Payload = NonNullable<StreamResponse['payload']>;

function idsOf(payload: Payload): { readonly taskId: string; readonly contextId: string } {
  if (payload.$case === 'task') {
    return { taskId: payload.value.id, contextId: payload.value.contextId };
  }
  return { taskId: payload.value.taskId, contextId: payload.value.contextId };
}

function hasSettled(payload: Payload): boolean {
  if (payload.$case !== 'task' && payload.$case !== 'statusUpdate') return false;
  return isSettled(readState(payload.value.status?.state));
}

/** Reads until the task is idle or the stream ends in any way; the caller then reads the task. */
async function drain(stream: AsyncGenerator<StreamResponse, void, undefined>): Promise<void> {
  try {
    for await (const { payload } of stream) {
      if (payload !== undefined && hasSettled(payload)) return;
    }
  } catch {
    // A stream is a hint: the follower then reads the task.
  }
}

function within(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}
