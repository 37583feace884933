import { Role, type Message, type Part, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';

import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';

/** The methods that both clients of the SDK have. */
export type A2aClient = Pick<
  Client,
  'sendMessage' | 'sendMessageStream' | 'getTask' | 'cancelTask' | 'resubscribeTask'
>;

export const VERSIONS = ['1.0', '0.3'] as const;
export type Version = (typeof VERSIONS)[number];

/**
 * A client of the official SDK for an exposed workflow. It finds the agent by its card, or as 0.3
 * does.
 */
export async function connectA2a(
  api: { readonly url: string },
  options: {
    readonly workflowId: string;
    readonly token: string | null;
    readonly tenantId?: string;
    readonly version?: Version;
  },
): Promise<A2aClient> {
  const fetchImpl = fetchAs(options);
  const url = `${api.url}/a2a/${encodeURIComponent(options.workflowId)}`;
  if (options.version === '0.3') return new LegacyJsonRpcTransport({ endpoint: url, fetchImpl });
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  return factory.createFromUrl(`${url}/`);
}

function fetchAs({ token, tenantId }: Parameters<typeof connectA2a>[1]): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    if (tenantId !== undefined) headers.set('x-tenant-id', tenantId);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
}

export interface Said {
  readonly text?: string;
  readonly data?: JsonValue;
  readonly messageId: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: JsonObject;
}

/** A request to send a message; `wait`: waits until the task pauses or ends. */
export function say(said: Said, options: { readonly wait?: boolean } = {}) {
  const parts: Part[] = [];
  const rest = { metadata: undefined, filename: '', mediaType: '' };
  if (said.text !== undefined || said.data === undefined) {
    parts.push({ content: { $case: 'text', value: said.text ?? '' }, ...rest });
  }
  if (said.data !== undefined) {
    parts.push({ content: { $case: 'data', value: said.data }, ...rest });
  }
  const message: Message = {
    messageId: said.messageId,
    taskId: said.taskId ?? '',
    contextId: said.contextId ?? '',
    role: Role.ROLE_USER,
    parts,
    metadata: said.metadata,
    extensions: [],
    referenceTaskIds: [],
  };
  return {
    tenant: '',
    message,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: options.wait !== true,
    },
    metadata: undefined,
  };
}

export function asTask(result: Message | Task): Task {
  if ('artifacts' in result) return result;
  throw new Error(`no task: ${JSON.stringify(result)}`);
}

export function about(id: string) {
  return { tenant: '', id, metadata: undefined };
}
