import { createMcpCaller } from '../shared/clients/mcp/create-mcp-caller.ts';
import type { Config } from '../shared/config/config.ts';
import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from '../shared/config/keys.ts';
import type { ToolDeps } from '../shared/nodes/tool/tool-call.ts';
import type { Cpu } from '../shared/ports/cpu.ts';
import type { NamedSecrets, SecretRules } from '../shared/ports/named-secrets.ts';
import { createGuardedFetch } from '../shared/security/guarded-fetch.ts';
import { createNamedSecrets } from '../shared/security/named-secrets.ts';
import { createSafeFetch } from '../shared/security/safe-fetch.ts';
import { readVersion } from './version.ts';

/** The tool callers, for nodes and for models. Sessions and commands of MCP end with `opened`. */
export function bootTools(params: {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cpu: Cpu;
  readonly opened: AsyncDisposableStack;
}): ToolDeps {
  const { config, env, cpu, opened } = params;
  const allowPrivate = config.tools.allowPrivateNetworks;
  const secrets = bootSecrets(params);
  const mcp = createMcpCaller({
    servers: config.mcpServers ?? [],
    stdioCommands: config.mcp.stdioCommands,
    secrets,
    env,
    fetch: createGuardedFetch({
      allowPrivate,
      setting: SETTING,
      redirects: 'same_origin',
      responseBytesMax: MESSAGE_BYTES_MAX,
    }),
    messageBytesMax: MESSAGE_BYTES_MAX,
    version: readVersion(),
    now: () => performance.now(),
  });
  opened.defer(() => mcp.close());
  return {
    http: createSafeFetch({ allowPrivate, setting: SETTING }),
    mcp,
    secrets,
    cpu,
    now: Date.now,
  };
}

const SETTING = 'tools.allow_private_networks';

/** The secrets that workflows may name. */
export function bootSecrets(params: {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
}): NamedSecrets & SecretRules {
  const reserved = CONFIG_KEY_NAMES.flatMap((key) => [
    ...ownEnvNames(key),
    ...(rowOf(key).fallbackEnv ?? []),
  ]);
  return createNamedSecrets({ patterns: params.config.tools.secrets, env: params.env, reserved });
}

/** Limit of one MCP message; the limit of a result is lower. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
