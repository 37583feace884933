import { parseTenantId } from '../domain/access.ts';
import type { AuthPart } from '../domain/workflow/parse/parts.ts';
import { maskUrl } from './mask-url.ts';

/** An MCP server that the operator gives to workflows by its name. */
export interface McpServerSetting {
  readonly name: string;
  /** Whose workflows may name it; null: everybody's. */
  readonly tenants: readonly string[] | null;
  readonly server:
    | {
        readonly transport: 'streamable_http' | 'http_sse';
        readonly url: string;
        /** Its names are the operator's: they need no pattern in `tools.secrets`. */
        readonly auth: AuthPart | null;
      }
    | {
        readonly transport: 'stdio';
        readonly command: readonly [string, ...string[]];
        /** Names of the environment variables it is given, beside `PATH` and the like. */
        readonly env: readonly string[];
      };
}

export const MCP_SERVERS_TYPE =
  'tables such as `{ files = { command = ["mcp-files", "/srv"], env = ["FILES_TOKEN"] } }`, as JSON in the environment';

/** The rows of the table; undefined where it is not as it should be. */
export function readMcpServers(value: unknown): readonly McpServerSetting[] | undefined {
  if (!isTable(value)) return undefined;
  const rows = Object.entries(value).map(([name, row]) => readServer(name, row));
  const read = rows.filter((row) => row !== undefined);
  return read.length === rows.length ? read : undefined;
}

/** Without the names of its secrets, and without what its URL may hold. */
export function describeMcpServer({ name, server }: McpServerSetting): string {
  return `${name} → ${server.transport === 'stdio' ? server.command.join(' ') : maskUrl(server.url)}`;
}

function readServer(name: string, row: unknown): McpServerSetting | undefined {
  if (!isTable(row) || name === '' || name.includes('/')) return undefined;
  const { tenants = null, ...rest } = row;
  const isNamed = isTexts(tenants) && tenants.every((tenant) => parseTenantId(tenant) !== null);
  const server = 'command' in rest ? readStdio(rest) : readHttp(rest);
  if (server === undefined || (tenants !== null && !isNamed)) return undefined;
  return { name, tenants: isTexts(tenants) ? tenants : null, server };
}

function readStdio(row: Table): McpServerSetting['server'] | undefined {
  const { transport = 'stdio', command, env = [], ...others } = row;
  if (transport !== 'stdio' || Object.keys(others).length > 0) return undefined;
  if (!isTexts(command) || !isTexts(env) || !env.every((name) => NAME.test(name))) return undefined;
  const [program, ...args] = command;
  if (program === undefined || program === '') return undefined;
  return { transport, command: [program, ...args], env };
}

function readHttp(row: Table): McpServerSetting['server'] | undefined {
  const { transport = 'streamable_http', url, auth = null, ...others } = row;
  if (transport !== 'streamable_http' && transport !== 'http_sse') return undefined;
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const read = auth === null ? null : readAuth(auth);
  if (read === undefined || Object.keys(others).length > 0) return undefined;
  return { transport, url, auth: read };
}

function readAuth(auth: unknown): AuthPart | undefined {
  if (!isTable(auth)) return undefined;
  const text = (field: string) => {
    const value = auth[field];
    return typeof value === 'string' ? value : '';
  };
  const read: AuthPart | undefined = {
    bearer: { type: 'bearer' as const, tokenEnv: text('token_env') },
    api_key: { type: 'api_key' as const, header: text('header'), keyEnv: text('key_env') },
    oauth2: {
      type: 'oauth2' as const,
      clientIdEnv: text('client_id_env'),
      clientSecretEnv: text('client_secret_env'),
      tokenUrl: text('token_url'),
    },
  }[text('type')];
  if (read === undefined) return undefined;
  return Object.values(read).every((value) => value !== '') ? read : undefined;
}

type Table = Readonly<Record<string, unknown>>;

function isTable(value: unknown): value is Table {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
