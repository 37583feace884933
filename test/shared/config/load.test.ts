import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { configValue } from '../../../src/shared/config/config.ts';
import type { ConfigValue } from '../../../src/shared/config/key-row.ts';
import { CONFIG_KEY_NAMES, rowOf } from '../../../src/shared/config/keys.ts';
import type { LoadConfigParams, LoadedConfig } from '../../../src/shared/config/load.ts';
import { loadConfig } from '../../../src/shared/config/load.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svc-config-'));
test.after.always(() => rmSync(cwd, { recursive: true }));

let files = 0;

test('without flags, environment and file every value is its default', (t) => {
  const { config, origins } = expectConfig(load({}));
  for (const key of CONFIG_KEY_NAMES) {
    t.is(configValue(config, key), rowOf(key).default, key);
    t.is(origins.get(key), 'default', key);
  }
  t.is(config.runtime.port, 7700);
  t.is(config.telemetry.otlp.endpoint, null);
  t.is(config.api.bodyBytesMax, 4_194_304);
});

test('dev is open and has a database of its own', (t) => {
  const { config } = expectConfig(load({ mode: 'dev' }));
  t.false(config.auth.enabled);
  t.is(config.database.url, '.svc/dev.db');
  for (const part of [config.tools, config.agents, config.webhooks]) {
    t.true(part.allowPrivateNetworks);
  }
});

test('the command line wins over the environment, that over the file, that over the default', (t) => {
  const configFile = write('[runtime]\nport = 1\nworkers = 1\nbind = "::1"');
  const { config, origins } = expectConfig(
    load({
      flags: { 'runtime.port': '3' },
      env: { SVC_RUNTIME_PORT: '2', SVC_RUNTIME_WORKERS: '2' },
      configFile,
    }),
  );
  t.like(config.runtime, { port: 3, workers: 2, bind: '::1', publicUrl: null });
  t.is(origins.get('runtime.port'), 'flag --port');
  t.is(origins.get('runtime.workers'), 'env SVC_RUNTIME_WORKERS');
  t.is(origins.get('runtime.bind'), configFile);
  t.is(origins.get('runtime.public_url'), 'default');
});

test('svc.toml of the working directory is read when there is one', (t) => {
  const folder = join(cwd, 'with-file');
  mkdirSync(folder);
  writeFileSync(join(folder, 'svc.toml'), '[telemetry.otlp]\nendpoint = "http://collector:4318"');
  const { config, origins } = expectConfig(load({ cwd: folder }));
  t.is(config.telemetry.otlp.endpoint, 'http://collector:4318');
  t.is(origins.get('telemetry.otlp.endpoint'), 'svc.toml');
});

const fromEnvironment: readonly (readonly [Record<string, string>, string, ConfigValue])[] = [
  [{ SVC_PORT: '8080' }, 'runtime.port', 8080],
  [{ SVC_PORT: '8080', SVC_RUNTIME_PORT: '8080' }, 'runtime.port', 8080],
  [{ SVC_PORT: '' }, 'runtime.port', 7700],
  [{ SVC_BIND: '0.0.0.0' }, 'runtime.bind', '0.0.0.0'],
  [{ SVC_PUBLIC_URL: 'https://svc.example.com' }, 'runtime.public_url', 'https://svc.example.com'],
  [{ DATABASE_URL: 'postgres://db/svc' }, 'database.url', 'postgres://db/svc'],
  [{ DATABASE_URL: 'a.db', SVC_DATABASE_URL: 'b.db' }, 'database.url', 'b.db'],
  [{ SVC_AUTH_API_KEY: 'secret' }, 'auth.api_key', 'secret'],
  [{ SVC_AUTH_ENABLED: 'FALSE' }, 'auth.enabled', false],
  [{ SVC_AUTH_OPEN_READY: '1' }, 'auth.open_ready', true],
  [{ SVC_TELEMETRY_METRICS_PORT: 'off' }, 'telemetry.metrics_port', 'off'],
  [{ SVC_TELEMETRY_METRICS_PORT: '0' }, 'telemetry.metrics_port', 0],
  [{ SVC_TELEMETRY_OTLP_ENDPOINT: 'http://a:1' }, 'telemetry.otlp.endpoint', 'http://a:1'],
  [{ OTEL_SERVICE_NAME: 'billing' }, 'telemetry.service_name', 'billing'],
  [{ SVC_LOG_LEVEL: 'debug', RUST_LOG: 'trace' }, 'logging.level', 'debug'],
  [{ SVC_LOGGING_LEVEL: 'debug' }, 'logging.level', 'debug'],
  [{ RUST_LOG: 'hyper=debug,WARN' }, 'logging.level', 'warn'],
  [{ RUST_LOG: 'off' }, 'logging.level', 'silent'],
  [{ RUST_LOG: 'hyper=debug' }, 'logging.level', 'info'],
  [{ SVC_LOG_FORMAT: 'pretty' }, 'logging.format', 'pretty'],
];

for (const [env, key, expected] of fromEnvironment) {
  test(`the environment ${JSON.stringify(env)} sets ${key}`, (t) => {
    const { config } = expectConfig(load({ env }));
    const known = CONFIG_KEY_NAMES.find((name) => name === key);
    t.is(known === undefined ? undefined : configValue(config, known), expected);
  });
}

const wrongEnvironment: readonly (readonly [Record<string, string>, string])[] = [
  [
    { SVC_RUNTIME_PORT: '1', SVC_PORT: '2' },
    'env SVC_RUNTIME_PORT and env SVC_PORT are one setting and hold different values; set one of them',
  ],
  [
    { SVC_PORT: '65536' },
    'env SVC_PORT: runtime.port: found "65536", expected an integer from 0 to 65535',
  ],
  [
    { SVC_RUNTIME_WORKERS: '2.5' },
    'env SVC_RUNTIME_WORKERS: runtime.workers: found "2.5", expected an integer from 1 to 256',
  ],
  [
    { SVC_PORT: 'tcp://10.0.0.1:7700' },
    'env SVC_PORT: runtime.port: found "tcp://10.0.0.1:7700", expected an integer from 0 to 65535; Kubernetes sets it for a service named svc: set enableServiceLinks: false',
  ],
  [
    { SVC_AUTH_METHOD: 'basic' },
    'env SVC_AUTH_METHOD: auth.method: found "basic", expected one of api_key, mtls, jwt',
  ],
  [
    { SVC_BIND: '127.0.0.1:7700' },
    'env SVC_BIND: runtime.bind: found "127.0.0.1:7700", expected an IP address or a host name',
  ],
  [
    { SVC_PUBLIC_URL: 'svc.example.com' },
    'env SVC_PUBLIC_URL: runtime.public_url: found "svc.example.com", expected an http:// or https:// URL',
  ],
  [
    { SVC_ENCRYPTION_KEY: 'hunter2' },
    'env SVC_ENCRYPTION_KEY: memory.encryption_key: found another value, expected 32 bytes in base64',
  ],
  [
    { DATABASE_URL: 'mysql://ann:hunter2@db/svc' },
    'env DATABASE_URL: database.url: found "mysql://ann:***@db/svc", expected a path, a sqlite: URL or a postgres:// URL (the scheme mysql: is not supported)',
  ],
];

for (const [env, problem] of wrongEnvironment) {
  test(`refused: the environment ${JSON.stringify(env)}`, (t) => {
    t.deepEqual(problemsOf(load({ env })), [problem]);
  });
}

const wrongFiles: readonly (readonly [string, string])[] = [
  [
    '[runtime]\nprot = 1',
    'unknown key runtime.prot, expected a known one: did you mean runtime.port?',
  ],
  ['port = 1', 'unknown key port, expected a known one: did you mean runtime.port?'],
  ['[runtimes]\nport = 1', 'unknown key runtimes, expected a known one: did you mean runtime?'],
  [
    '[entirely.else]\na = 1',
    'unknown key entirely, expected one of docs/reference/configuration.md',
  ],
  ['[runtime]\nport = "7700"', 'runtime.port: found "7700", expected an integer from 0 to 65535'],
  ['[runtime]\nport = -1', 'runtime.port: found -1, expected an integer from 0 to 65535'],
  ['[runtime]\nport = [1]', 'runtime.port: found a list, expected an integer from 0 to 65535'],
  ['[runtime.port]\na = 1', 'runtime.port: found a table, expected an integer from 0 to 65535'],
  ['[auth]\nenabled = "true"', 'auth.enabled: found "true", expected true or false'],
  [
    '[telemetry]\nservice_name = 2026-01-01',
    'telemetry.service_name: found a date, expected a string that is not empty',
  ],
  [
    '[auth]\napi_key = 12345',
    'auth.api_key: found another value, expected a string that is not empty',
  ],
  ['runtime = 1', 'runtime: found a value, expected a table [runtime]'],
  [
    '["__proto__"]\na = 1',
    'unknown key __proto__, expected one of docs/reference/configuration.md',
  ],
];

for (const [toml, problem] of wrongFiles) {
  test(`refused: the file ${JSON.stringify(toml)}`, (t) => {
    const configFile = write(toml);
    t.deepEqual(problemsOf(load({ configFile })), [`${configFile}: ${problem}`]);
  });
}

test('refused: a file that is no TOML, with the place', (t) => {
  const configFile = write('[runtime]\nport = ');
  const [problem, ...others] = problemsOf(load({ configFile }));
  t.regex(problem ?? '', /^file-\d+\.toml: line \d+, column \d+: \S[^\n]*$/);
  t.deepEqual(others, []);
});

test('refused: a file that is named but missing', (t) => {
  t.deepEqual(problemsOf(load({ configFile: 'missing.toml' })), [
    'missing.toml: cannot be read (ENOENT), expected a TOML file',
  ]);
});

test('all problems are reported at once, those of overridden values too', (t) => {
  const configFile = write('[runtime]\nport = "x"\nworkers = 0');
  const problems = problemsOf(
    load({ flags: { 'runtime.port': '1' }, env: { SVC_LOG_LEVEL: 'loud' }, configFile }),
  );
  t.is(problems.length, 3);
});

test('refused: a flag, by its name', (t) => {
  t.deepEqual(problemsOf(load({ flags: { 'runtime.port': 'http' } })), [
    'flag --port: runtime.port: found "http", expected an integer from 0 to 65535',
  ]);
});

function load(params: Partial<LoadConfigParams>): LoadedConfig {
  return loadConfig({ flags: {}, env: {}, cwd, mode: 'serve', ...params });
}

function write(toml: string): string {
  files += 1;
  const name = `file-${files}.toml`;
  writeFileSync(join(cwd, name), toml);
  return name;
}

function expectConfig(loaded: LoadedConfig): Extract<LoadedConfig, { ok: true }> {
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded;
}

function problemsOf(loaded: LoadedConfig): readonly string[] {
  return loaded.ok ? [] : loaded.problems;
}
