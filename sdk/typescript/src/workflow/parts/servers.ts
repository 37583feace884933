import { refuseUnknown, type Known } from '../../known-options.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';

/** How to log in. The fields name secrets of the runtime; a definition never contains one. */
export type Auth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly tokenEnv: string }
  | { readonly type: 'api_key'; readonly header: string; readonly keyEnv: string }
  | {
      readonly type: 'oauth2';
      readonly clientIdEnv: string;
      readonly clientSecretEnv: string;
      readonly tokenUrl: string;
    };

interface Described {
  readonly auth?: Auth;
  readonly description?: string;
  readonly labels?: JsonValue;
}

/** A server of the Model Context Protocol. */
export type McpServer = Described &
  (
    | {
        /** Default `streamable_http`. */
        readonly transport?: 'streamable_http' | 'http_sse';
        readonly url: string;
      }
    | {
        readonly transport: 'stdio';
        /** A command line that the operator allows, word for word. */
        readonly command: string;
        readonly args?: readonly string[];
      }
  );

const DESCRIBED: Known<Described> = { auth: true, description: true, labels: true };
const MCP_SERVER = { ...DESCRIBED, transport: true, url: true, command: true, args: true } as const;

export function writeMcpServer(server: McpServer): JsonObject {
  refuseUnknown(server, MCP_SERVER, 'an MCP server');
  const { transport, auth, description, labels } = server;
  const { url, command, args } = { url: undefined, command: undefined, args: undefined, ...server };
  return dropAbsent({ transport, url, command, args, auth: writeAuth(auth), description, labels });
}

/** An agent of the Agent2Agent protocol. */
export interface RemoteAgent extends Described {
  readonly url: string;
  /** Default `/.well-known/agent-card.json`. */
  readonly agentCardPath?: string;
}

const REMOTE_AGENT: Known<RemoteAgent> = { ...DESCRIBED, url: true, agentCardPath: true };

export function writeRemoteAgent(agent: RemoteAgent): JsonObject {
  refuseUnknown(agent, REMOTE_AGENT, 'a remote agent');
  const { url, agentCardPath, auth, description, labels } = agent;
  const rest = { auth: writeAuth(auth), description, labels };
  return dropAbsent({ url, agent_card_path: agentCardPath, ...rest });
}

function writeAuth(auth: Auth | undefined): JsonObject | undefined {
  switch (auth?.type) {
    case undefined:
      return undefined;
    case 'none':
      return { type: auth.type };
    case 'bearer':
      return { type: auth.type, token_env: auth.tokenEnv };
    case 'api_key':
      return { type: auth.type, header: auth.header, key_env: auth.keyEnv };
    case 'oauth2':
      return {
        type: auth.type,
        client_id_env: auth.clientIdEnv,
        client_secret_env: auth.clientSecretEnv,
        token_url: auth.tokenUrl,
      };
  }
}
