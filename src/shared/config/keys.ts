import type { KeyRow } from './key-row.ts';

/**
 * Every key of the configuration, in the order of its documentation. A key's place in the TOML
 * file is its name here; its environment variable is `SVC_<SECTION>_<KEY>`, with further names
 * where a row gives them.
 */
export const CONFIG_KEYS = {
  'runtime.bind': {
    type: 'host',
    default: '127.0.0.1',
    env: ['SVC_BIND'],
    flag: '--bind',
    meaning: 'Address the HTTP API and the metrics listener bind.',
  },
  'runtime.port': {
    type: 'int',
    default: 7700,
    min: 0,
    max: 65_535,
    env: ['SVC_PORT'],
    flag: '--port',
    meaning: 'Port of the HTTP API; 0 takes any free one.',
  },
  'runtime.public_url': {
    type: 'url',
    default: null,
    defaultMeaning: '`http://{bind}:{port}`',
    env: ['SVC_PUBLIC_URL'],
    flag: '--public-url',
    meaning: 'Public URL of the API; names the runtime in its DID document.',
  },
  'runtime.workers': {
    type: 'int',
    default: 4,
    min: 1,
    max: 256,
    meaning:
      'Worker threads for schemas, the same number for decisions and memory (at least two ' +
      'each), and nodes that one scheduler runs at the same time.',
  },
  'database.url': {
    type: 'database_url',
    default: '.svc/runtime.db',
    devDefault: '.svc/dev.db',
    fallbackEnv: ['DATABASE_URL'],
    flag: '--database-url',
    meaning:
      'A path or `sqlite:` URL of an SQLite file, or a `postgres://` URL. A PostgreSQL URL takes several ' +
      'hosts (`db-1:5432,db-2:5432`): the runtime works on the primary. `?host=/var/run/postgresql` ' +
      'reaches a server by its Unix socket.',
  },
  'database.direct_url': {
    type: 'database_url',
    default: null,
    defaultMeaning: 'the same as `database.url`',
    meaning:
      'A `postgres://` URL past the pooler, for locks, notifications and migrations. Set it when ' +
      '`database.url` leads to a pooler in transaction mode.',
  },
  'database.password_file': {
    type: 'string',
    default: null,
    defaultMeaning: 'the password of the URL',
    meaning:
      'A file with the password for PostgreSQL. Each new connection reads it, so a new password needs ' +
      'no restart.',
  },
  'database.read_url': {
    type: 'database_url',
    default: null,
    defaultMeaning: 'all reads go to the primary',
    meaning:
      'A `postgres://` URL of one replica, which streams from the primary. Lists and counts may come ' +
      'from there.',
  },
  'database.read_lag_seconds_max': {
    type: 'int',
    default: 5,
    min: 1,
    max: 3_600,
    unit: 's',
    meaning:
      'How far behind a list may be. While the replica is further behind, the primary answers.',
  },
  'database.pool_size': {
    type: 'int',
    default: 10,
    min: 1,
    max: 500,
    meaning: 'PostgreSQL connections one process keeps. With `database.max_overflow`, at least 8.',
  },
  'database.max_overflow': {
    type: 'int',
    default: 5,
    min: 0,
    max: 500,
    meaning:
      'Further PostgreSQL connections one process opens under load; it never opens more than both.',
  },
  'database.auto_migrate': {
    type: 'bool',
    default: true,
    meaning:
      'Run pending migrations at startup; when false, run `svc db migrate` beforehand. In production turn it ' +
      'off: see `docs/get-started/install.md`.',
  },
  'auth.enabled': {
    type: 'bool',
    default: true,
    devDefault: false,
    meaning: 'Require a token on every endpoint except the open ones.',
  },
  'auth.method': {
    type: 'enum',
    default: 'api_key',
    values: ['api_key', 'mtls', 'jwt'],
    meaning: 'How callers authenticate.',
  },
  'auth.api_key': {
    type: 'secret',
    default: null,
    meaning:
      'An operator token of the tenant `default`, beside those kept in the database. At least 24 ' +
      'characters, hard to guess: `openssl rand -hex 32`.',
  },
  'auth.allow_insecure': {
    type: 'bool',
    default: false,
    meaning: 'Allow binding an address others can reach while authentication is off.',
  },
  'auth.reviewers_may_approve': {
    type: 'bool',
    default: false,
    meaning: 'Let the role reviewer decide approvals.',
  },
  'auth.open_ready': {
    type: 'bool',
    default: false,
    meaning: 'Answer `/ready` of the API without a token.',
  },
  'auth.accept_tokens': {
    type: 'bool',
    default: false,
    meaning: 'With the methods `jwt` and `mtls`, accept stored tokens and the API key as well.',
  },
  'auth.jwt.issuer': {
    type: 'string',
    default: null,
    meaning: 'Issuer that tokens must name in `iss`.',
  },
  'auth.jwt.audience': {
    type: 'string',
    default: null,
    meaning: 'Audience that tokens must name in `aud`: this service.',
  },
  'auth.jwt.jwks_url': {
    type: 'url',
    default: null,
    meaning: "URL of the issuer's public keys, as a JSON Web Key Set.",
  },
  'auth.jwt.public_key_file': {
    type: 'string',
    default: null,
    meaning: "PEM file with the issuer's public key, instead of a URL.",
  },
  'auth.jwt.role_claim': {
    type: 'string',
    default: 'role',
    meaning: 'Claim that holds the role, or a path to it with dots.',
  },
  'auth.jwt.tenant_claim': {
    type: 'string',
    default: 'tenant',
    meaning: 'Claim that holds the tenant, or a path to it with dots.',
  },
  'auth.jwt.clock_tolerance_seconds': {
    type: 'int',
    default: 30,
    min: 0,
    max: 300,
    unit: 's',
    meaning: "How far the issuer's clock may be off.",
  },
  'auth.mtls.subjects': {
    type: 'subjects',
    default: null,
    meaning:
      'Role and tenant of client certificates, by `CN=<name>`, distinguished name or `URI:<name>`.',
  },
  'api.tls.cert_file': {
    type: 'string',
    default: null,
    meaning:
      'PEM file with the certificate of the API and its intermediates; the API then serves ' +
      'HTTPS.',
  },
  'api.tls.key_file': {
    type: 'string',
    default: null,
    meaning: 'PEM file with the key of that certificate.',
  },
  'api.tls.client_ca_file': {
    type: 'string',
    default: null,
    meaning: 'PEM file with the certificate authorities for client certificates.',
  },
  'api.body_bytes_max': {
    type: 'int',
    default: 4_194_304,
    min: 1024,
    max: 67_108_864,
    unit: 'bytes',
    meaning: 'Largest request body.',
  },
  'api.streams_per_token': {
    type: 'int',
    default: 100,
    min: 1,
    max: 100_000,
    meaning: 'Event streams that one token may have open at one API process; more get 429.',
  },
  'api.result_waits_per_token': {
    type: 'int',
    default: 1_000,
    min: 1,
    max: 100_000,
    meaning:
      'Requests of one token that may wait for the end of an execution at one API process; more get 429.',
  },
  'api.mcp': {
    type: 'bool',
    default: true,
    meaning: 'Serve the Model Context Protocol at `/mcp`.',
  },
  'api.open_docs': {
    type: 'bool',
    default: false,
    devDefault: true,
    meaning: 'Serve the reference of the API at `/docs` without a token.',
  },
  'api.console': {
    type: 'bool',
    default: true,
    meaning: 'Serve the web console at `/console`.',
  },
  'api.drain_delay_seconds': {
    type: 'int',
    default: 0,
    min: 0,
    max: 600,
    unit: 's',
    meaning:
      'How long the API keeps serving after a stop request while `/ready` fails, so that load ' +
      'balancers notice.',
  },
  'scheduler.lease_seconds': {
    type: 'int',
    default: 30,
    min: 1,
    max: 3600,
    unit: 's',
    meaning: 'How long a work item stays with a worker that sends no heartbeat.',
  },
  'scheduler.shutdown_deadline_seconds': {
    type: 'int',
    default: 25,
    min: 0,
    max: 3600,
    unit: 's',
    meaning: 'How long running work may take to finish when the process is asked to stop.',
  },
  'scheduler.max_descendants': {
    type: 'int',
    default: 20_000,
    min: 0,
    max: 1_000_000_000,
    meaning:
      'Executions that one execution may start, their children included, as long as it runs. A tenant can have its own limit, `max_descendants`.',
  },
  'agents.allow_private_networks': {
    type: 'bool',
    default: false,
    devDefault: true,
    meaning:
      'Let agent discovery and agent calls reach private, loopback and link-local addresses.',
  },
  'agents.heartbeat_timeout': {
    type: 'int',
    default: 90,
    min: 1,
    max: 86_400,
    unit: 's',
    meaning: 'Silence after which an active agent that sends heartbeats is paused.',
  },
  'tools.allow_private_networks': {
    type: 'bool',
    default: false,
    devDefault: true,
    meaning: 'Let HTTP and MCP tools reach private, loopback and link-local addresses.',
  },
  'tools.secrets': {
    type: 'secret_patterns',
    default: ['SVC_SECRET_*'],
    meaning:
      'Environment variables that workflows may name as secrets; `acme:NAME` is only for the ' +
      'tenant acme.',
  },
  'mcp.stdio_commands': {
    type: 'commands',
    default: [],
    meaning: 'Command lines that workflows may use to start MCP servers, word for word.',
  },
  mcp_servers: {
    type: 'mcp_servers',
    default: null,
    meaning: 'MCP servers that every workflow may name; see `docs/guides/tools.md`.',
  },
  'models.openai.api_key': {
    type: 'secret',
    default: null,
    fallbackEnv: ['OPENAI_API_KEY'],
    meaning: 'Key of OpenAI.',
  },
  'models.openai.base_url': {
    type: 'url',
    default: null,
    defaultMeaning: "the provider's own",
    fallbackEnv: ['OPENAI_BASE_URL'],
    meaning: 'Base URL of OpenAI, or of a server with its protocol.',
  },
  'models.anthropic.api_key': {
    type: 'secret',
    default: null,
    fallbackEnv: ['ANTHROPIC_API_KEY'],
    meaning: 'Key of Anthropic.',
  },
  'models.anthropic.base_url': {
    type: 'url',
    default: null,
    defaultMeaning: "the provider's own",
    fallbackEnv: ['ANTHROPIC_BASE_URL'],
    meaning: 'Base URL of Anthropic, or of a server with its protocol.',
  },
  'models.google.api_key': {
    type: 'secret',
    default: null,
    fallbackEnv: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    meaning: "Key of Google's Gemini API.",
  },
  'models.google.base_url': {
    type: 'url',
    default: null,
    defaultMeaning: "the provider's own",
    fallbackEnv: ['GOOGLE_BASE_URL', 'GEMINI_BASE_URL'],
    meaning: "Base URL of Google's Gemini API, or of a server with its protocol.",
  },
  'models.ollama.api_key': {
    type: 'secret',
    default: null,
    fallbackEnv: ['OLLAMA_API_KEY'],
    meaning: 'Key of Ollama, if it requires one.',
  },
  'models.ollama.base_url': {
    type: 'url',
    default: null,
    fallbackEnv: ['OLLAMA_BASE_URL'],
    meaning: 'Base URL of Ollama, such as `http://localhost:11434`; required to use Ollama.',
  },
  'models.allowed_base_urls': {
    type: 'urls',
    default: [],
    meaning:
      "Base URLs that workflows may name and that get their provider's key; they may be " +
      'private.',
  },
  'models.prices_file': {
    type: 'string',
    default: null,
    defaultMeaning: 'list prices, see `docs/guides/models.md`',
    meaning: 'TOML or JSON file with prices of models that override the list prices.',
  },
  'artifacts.max_bytes': {
    type: 'int',
    default: 64 * 1024 * 1024,
    min: 65_536,
    max: 1024 * 1024 * 1024,
    unit: 'bytes',
    meaning: 'Largest artifact.',
  },
  'webhooks.allow_private_networks': {
    type: 'bool',
    default: false,
    devDefault: true,
    meaning: 'Let webhooks reach private, loopback and link-local addresses.',
  },
  'memory.embedding_base_url': {
    type: 'url',
    default: null,
    defaultMeaning: "the provider's own",
    meaning: 'Base URL of the embedding provider.',
  },
  'memory.default_tier': {
    type: 'enum',
    default: 'free',
    values: ['free', 'starter', 'team', 'business', 'enterprise'],
    meaning: 'Memory tier of tenants whose limits name none.',
  },
  'memory.encryption_key': {
    type: 'secret_key',
    default: null,
    env: ['SVC_ENCRYPTION_KEY'],
    meaning: 'Key that encrypts stored provider keys.',
  },
  'memory.previous_encryption_keys': {
    type: 'secret',
    default: null,
    meaning:
      'Earlier keys, separated by commas: they decrypt secrets that `svc memory rotate-key` ' +
      'has not encrypted again yet.',
  },
  'memory.index_mib_max': {
    type: 'int',
    default: 256,
    min: 8,
    max: 4095,
    unit: 'MiB',
    meaning: 'Memory for searching facts, taken as needed: 100000 facts in use take 150 MiB.',
  },
  'retention.completed_days': {
    type: 'int',
    default: 0,
    min: 0,
    max: 36_500,
    unit: 'days',
    meaning:
      'How long completed executions are kept after their end, unless a policy says otherwise; ' +
      '0: forever. See `docs/operate/retention.md`.',
  },
  'retention.failed_days': {
    type: 'int',
    default: 0,
    min: 0,
    max: 36_500,
    unit: 'days',
    meaning: 'The same for failed executions.',
  },
  'retention.cancelled_days': {
    type: 'int',
    default: 0,
    min: 0,
    max: 36_500,
    unit: 'days',
    meaning: 'The same for cancelled executions.',
  },
  'retention.replay_records_days': {
    type: 'int',
    default: 0,
    min: 0,
    max: 36_500,
    unit: 'days',
    meaning:
      'How long results for replay are kept after the end of their execution; 0: as long as ' +
      'the execution.',
  },
  'retention.unused_artifact_days': {
    type: 'int',
    default: 7,
    min: 0,
    max: 36_500,
    unit: 'days',
    meaning:
      'With any retention, how long unreferenced artifacts are kept after their last write or ' +
      'reference; 0: forever.',
  },
  'retention.archive_dir': {
    type: 'string',
    default: null,
    meaning:
      'Folder for archives of removed executions, written before the removal; unset: no ' +
      'archives.',
  },
  'telemetry.enabled': {
    type: 'bool',
    default: true,
    meaning:
      'Serve metrics, and export traces when an endpoint is set. Probes are served either way.',
  },
  'telemetry.service_name': {
    type: 'string',
    default: 'svc',
    fallbackEnv: ['OTEL_SERVICE_NAME'],
    meaning: 'Name of this service in traces.',
  },
  'telemetry.otlp.endpoint': {
    type: 'url',
    default: null,
    fallbackEnv: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    meaning: 'Collector that receives traces over OTLP/HTTP.',
  },
  'telemetry.metrics_port': {
    type: 'port_or_off',
    default: null,
    defaultMeaning: '9464; 9465 for a scheduler alone',
    meaning: 'Port of `/metrics`, `/health` and `/ready` for probes; `off` opens none.',
  },
  'logging.level': {
    type: 'enum',
    default: 'info',
    values: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    env: ['SVC_LOG_LEVEL'],
    fallbackEnv: ['RUST_LOG'],
    flag: '--log-level',
    meaning: 'Minimum severity of log lines.',
  },
  'logging.format': {
    type: 'enum',
    default: 'json',
    values: ['json', 'pretty'],
    env: ['SVC_LOG_FORMAT'],
    flag: '--log-format',
    meaning: 'One JSON object a line, or lines for people.',
  },
  'logging.redact_state': {
    type: 'bool',
    default: true,
    meaning: 'Keep the state of executions out of the log at every level.',
  },
} as const satisfies Readonly<Record<string, KeyRow>>;

export type ConfigKey = keyof typeof CONFIG_KEYS;

/** The keys in the order of the table. */
export const CONFIG_KEY_NAMES: readonly ConfigKey[] = Object.keys(CONFIG_KEYS).filter(isConfigKey);

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(CONFIG_KEYS, name);
}

export function rowOf(key: ConfigKey): KeyRow {
  return CONFIG_KEYS[key];
}

/** The environment variables that are this very setting, the one every key has first. */
export function ownEnvNames(key: ConfigKey): readonly string[] {
  const name = `SVC_${key.toUpperCase().replaceAll('.', '_')}`;
  return [name, ...(rowOf(key).env ?? [])];
}
