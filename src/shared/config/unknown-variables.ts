import { nearestName } from '../domain/nearest-name.ts';
import { isNamedBy } from '../security/named-secrets.ts';
import type { Config } from './config.ts';
import { CONFIG_KEY_NAMES, CONFIG_KEYS, ownEnvNames } from './keys.ts';
import { OTHER_VARIABLES } from './other-variables.ts';
import type { McpServerSetting } from './read-mcp-servers.ts';

/** A variable that looks like a setting, and that no part of svc reads. */
export interface UnknownVariable {
  readonly name: string;
  /** The known name that was probably meant; null: none is close. */
  readonly meant: string | null;
}

const PREFIX = 'SVC_';
const NAMES = [...CONFIG_KEY_NAMES.flatMap(ownEnvNames), ...Object.keys(OTHER_VARIABLES)];
const KNOWN: ReadonlySet<string> = new Set(NAMES);
const DOCUMENTED = NAMES.filter(
  (name) => (OTHER_VARIABLES as Readonly<Record<string, string | null>>)[name] !== null,
);

/**
 * The variables `SVC_…` that no part of svc reads: not the service, its commands, the SDKs, or
 * workflows that name secrets. An empty variable counts as unset, as for settings. Without a
 * configuration the secrets are those that its default allows.
 */
export function findUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  config: Config | null,
): readonly UnknownVariable[] {
  const isSecret = secretsOf(config);
  return Object.entries(env)
    .filter(([name, value = '']) => name.startsWith(PREFIX) && value !== '' && !KNOWN.has(name))
    .filter(([name, value = '']) => !isSecret(name) && !isServiceLink(name, value))
    .map(([name]) => ({ name, meant: nearestOf(name) }));
}

/** One line on all of them; null: there is none. */
export function tellUnknownVariables(unknown: readonly UnknownVariable[]): string | null {
  if (unknown.length === 0) return null;
  const told = unknown.map(({ name, meant }) =>
    meant === null ? name : `${name} (did you mean ${meant}?)`,
  );
  return (
    `no part of svc reads these environment variables: ${told.join(', ')}; correct or unset them, ` +
    'docs/reference/configuration.md lists the known ones'
  );
}

function secretsOf(config: Config | null): (name: string) => boolean {
  const patterns = [...CONFIG_KEYS['tools.secrets'].default, ...(config?.tools.secrets ?? [])];
  const named = new Set((config?.mcpServers ?? []).flatMap(variablesOf));
  return (name) => named.has(name) || patterns.some((pattern) => isNamedBy(pattern, name));
}

function variablesOf({ server }: McpServerSetting): readonly string[] {
  return server.transport === 'stdio' ? server.env : Object.values(server.auth ?? {});
}

/** Kubernetes sets them for each service whose name begins with "svc". */
function isServiceLink(name: string, value: string): boolean {
  return SERVICE_LINK.test(name) || /^(?:tcp|udp|sctp):\/\//.test(value);
}

const SERVICE_LINK =
  /^SVC_(?:\w+_)?(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT_\d+_(?:TCP|UDP|SCTP)_(?:PROTO|PORT|ADDR))$/;

/** Compared without the prefix, which all have in common. */
function nearestOf(name: string): string | null {
  const rest = (full: string) => full.slice(PREFIX.length);
  const nearest = nearestName(rest(name), DOCUMENTED.map(rest));
  return nearest === null ? null : `${PREFIX}${nearest}`;
}
