import type { KeyRow } from './key-row.ts';
import type { CONFIG_KEYS, ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from './keys.ts';
import { describeType } from './read-value.ts';

/**
 * The text of `deploy/svc.example.toml`: every key with its default, switched off, so that a copy of
 * the file changes nothing until a line is switched on. Secrets are named and have no line, since
 * they belong in the environment.
 */
export function renderConfigSample(): string {
  // Keys without a table must come before the first table.
  const sections = new Set(['', ...CONFIG_KEY_NAMES.map(sectionOf)]);
  return [INTRODUCTION, ...[...sections].map(renderSection)].join('\n');
}

const INTRODUCTION = `# Settings of svc: this sample changes nothing until a line is switched on by removing its "#".
# Generated from the table of keys in src/shared/config/keys.ts by
# node bin/cli/generate-docs.ts; docs/reference/configuration.md has the same settings as a page.
#
# Name the file with --config, or call it svc.toml in the working directory. The command line and the
# environment win over it. Secrets are set in the environment alone.
`;

type UnsetKey = {
  [Key in ConfigKey]: (typeof CONFIG_KEYS)[Key]['default'] extends null
    ? (typeof CONFIG_KEYS)[Key]['type'] extends 'secret' | 'secret_key'
      ? never
      : Key
    : never;
}[ConfigKey];

/** TOML examples for keys that are unset by default. */
const EXAMPLES: Readonly<Record<UnsetKey, string>> = {
  'runtime.public_url': '"https://svc.example.com"',
  'database.direct_url': '"postgres://svc@db.example.com/svc"',
  'database.read_url': '"postgres://svc@db-replica.example.com/svc"',
  'database.password_file': '"/run/secrets/svc-database-password"',
  'auth.jwt.issuer': '"https://id.example.com/"',
  'auth.jwt.audience': '"svc"',
  'auth.jwt.jwks_url': '"https://id.example.com/.well-known/jwks.json"',
  'auth.jwt.public_key_file': '"/etc/svc/issuer.pem"',
  'auth.mtls.subjects': '{ "CN=worker-1" = { role = "worker", tenant = "default" } }',
  'api.tls.cert_file': '"/etc/svc/tls.crt"',
  'api.tls.key_file': '"/etc/svc/tls.key"',
  'api.tls.client_ca_file': '"/etc/svc/clients.pem"',
  mcp_servers: '{ files = { command = ["mcp-files", "/srv"], env = ["FILES_TOKEN"] } }',
  'retention.archive_dir': '"/var/lib/svc/archive"',
  'models.openai.base_url': '"https://models.example.com/v1"',
  'models.anthropic.base_url': '"https://models.example.com/anthropic"',
  'models.google.base_url': '"https://models.example.com/google"',
  'models.ollama.base_url': '"http://localhost:11434"',
  'models.prices_file': '"/etc/svc/prices.toml"',
  'memory.embedding_base_url': '"https://models.example.com/v1"',
  'telemetry.otlp.endpoint': '"http://localhost:4318"',
  'telemetry.metrics_port': '9464',
};

function renderSection(section: string): string {
  const keys = CONFIG_KEY_NAMES.filter((key) => sectionOf(key) === section);
  const head = section === '' ? '' : `[${section}]\n\n`;
  return head + keys.map(renderKey).join('\n');
}

function sectionOf(key: ConfigKey): string {
  return key.split('.').slice(0, -1).join('.');
}

function renderKey(key: ConfigKey): string {
  const row = rowOf(key);
  const variables = ownEnvNames(key).join(' or ');
  const name = key.split('.').at(-1) ?? key;
  const lines = [`# ${row.meaning}`];
  if (isSecret(row)) return `${lines[0]}\n# ${name} is a secret: set ${variables}.\n`;
  const unit = row.unit === undefined ? '' : `, in ${row.unit}`;
  lines.push(`# Takes ${describeType(row)}${unit}. Also ${variables}.`);
  if (isUnset(key)) lines.push(`# Default: ${row.defaultMeaning ?? 'none'}. For example:`);
  const value = isUnset(key) ? EXAMPLES[key] : JSON.stringify(row.default);
  return `${[...lines, `#${name} = ${value}`].join('\n')}\n`;
}

function isSecret(row: KeyRow): boolean {
  return row.type === 'secret' || row.type === 'secret_key';
}

function isUnset(key: ConfigKey): key is UnsetKey {
  return Object.hasOwn(EXAMPLES, key);
}
