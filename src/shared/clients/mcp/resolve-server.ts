import type { McpServerSetting } from '../../config/read-mcp-servers.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AuthPart } from '../../domain/workflow/parse/parts.ts';
import type { McpServerRef } from '../../ports/mcp.ts';
import type { NamedSecrets, SecretReading } from '../../ports/named-secrets.ts';

/** A server as it is connected to. */
export type ResolvedServer =
  | {
      readonly transport: 'streamable_http' | 'http_sse';
      readonly url: string;
      readonly auth: AuthPart | null;
      readonly readSecret: (name: string) => SecretReading;
    }
  | {
      readonly transport: 'stdio';
      readonly command: readonly [string, ...string[]];
      /** Variables of the child process, besides `PATH` and similar ones. */
      readonly env: Readonly<Record<string, string>>;
    };

export interface ServerRules {
  readonly servers: readonly McpServerSetting[];
  /** Command lines that definitions may have started. */
  readonly stdioCommands: readonly string[];
  readonly secrets: NamedSecrets;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Resolution =
  | { readonly ok: true; readonly server: ResolvedServer }
  | { readonly ok: false; readonly error: string; readonly errorClass: string };

/**
 * Resolves a server's name. A definition's own server comes first; its commands must match the
 * operator's list exactly, and its secrets must be the tenant's. Servers of the operator's
 * configuration are trusted: they may name any variable.
 */
export function resolveServer(
  ref: McpServerRef,
  tenantId: TenantId,
  rules: ServerRules,
): Resolution {
  const { name, part } = ref;
  if (part === null) return resolveConfigured(name, tenantId, rules);
  if (part.transport === 'stdio')
    return resolveCommand(name, [part.command ?? '', ...part.args], rules);
  const readSecret = (secret: string) => rules.secrets.read({ name: secret, tenantId });
  const { transport, url, auth } = part;
  return { ok: true, server: { transport, url: url ?? '', auth, readSecret } };
}

function resolveConfigured(name: string, tenantId: TenantId, rules: ServerRules): Resolution {
  const setting = rules.servers.find((server) => server.name === name);
  const isTheirs = setting?.tenants?.includes(tenantId) ?? true;
  if (setting === undefined || !isTheirs) {
    const error =
      `no MCP server ${JSON.stringify(name)}: name one under mcp_servers of the workflow, ` +
      'or have the operator configure it as [mcp_servers.…]';
    return { ok: false, error, errorClass: 'unsupported' };
  }
  const { server } = setting;
  const readSecret = (secret: string) => readAny(secret, rules.env);
  if (server.transport !== 'stdio') return { ok: true, server: { ...server, readSecret } };
  const env: Record<string, string> = {};
  for (const variable of server.env) {
    const reading = readSecret(variable);
    if (!reading.ok) return { ok: false, error: reading.problem, errorClass: 'unauthorized' };
    env[variable] = reading.value;
  }
  return { ok: true, server: { transport: 'stdio', command: server.command, env } };
}

/** Words are compared one by one, so that none of them can be read as two. */
function resolveCommand(name: string, words: readonly string[], rules: ServerRules): Resolution {
  const allowed = rules.stdioCommands.map((line) => line.trim().split(/\s+/));
  const found = allowed.find(
    (line) => line.length === words.length && line.every((word, index) => word === words[index]),
  );
  const [program, ...args] = found ?? [];
  if (program !== undefined) {
    return { ok: true, server: { transport: 'stdio', command: [program, ...args], env: {} } };
  }
  const error =
    `the command of the MCP server ${JSON.stringify(name)} may not be started: ` +
    'have the operator add it to mcp.stdio_commands, or configure the server';
  return { ok: false, error, errorClass: 'unauthorized' };
}

function readAny(name: string, env: ServerRules['env']): SecretReading {
  const value = env[name] ?? '';
  if (value !== '') return { ok: true, value };
  return { ok: false, problem: `${name}, which a configured MCP server needs, is not set` };
}
