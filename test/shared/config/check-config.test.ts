import test from 'ava';
import { checkConfig } from '../../../src/shared/config/check-config.ts';
import type { Config } from '../../../src/shared/config/config.ts';
import { describeConfig } from '../../../src/shared/config/describe-config.ts';
import { metricsPort, publicUrl } from '../../../src/shared/config/listeners.ts';
import { loadConfig } from '../../../src/shared/config/load.ts';

const open = { SVC_AUTH_ENABLED: 'false' };

for (const bind of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) {
  test(`without authentication ${bind} may be bound`, (t) => {
    t.deepEqual(checkConfig(configOf({ ...open, SVC_BIND: bind })), []);
  });
}

for (const bind of ['0.0.0.0', '::', '10.0.0.1', 'svc.internal', 'localhost.example.com']) {
  test(`without authentication ${bind} may not be bound`, (t) => {
    const [problem, ...others] = checkConfig(configOf({ ...open, SVC_BIND: bind }));
    t.regex(problem ?? '', /^runtime\.bind: .*auth\.allow_insecure = true$/);
    t.deepEqual(others, []);
  });

  test(`with authentication, or with leave, ${bind} may be bound`, (t) => {
    t.deepEqual(checkConfig(configOf({ SVC_BIND: bind })), []);
    const allowed = { ...open, SVC_BIND: bind, SVC_AUTH_ALLOW_INSECURE: 'true' };
    t.deepEqual(checkConfig(configOf(allowed)), []);
  });
}

test('metrics need a port of their own', (t) => {
  const ports = { SVC_PORT: '9000', SVC_TELEMETRY_METRICS_PORT: '9000' };
  t.regex(checkConfig(configOf(ports))[0] ?? '', /^telemetry\.metrics_port: 9000 is runtime\.port/);
  t.deepEqual(checkConfig(configOf({ SVC_PORT: '0', SVC_TELEMETRY_METRICS_PORT: '0' })), []);
});

test('the metrics port follows the role, unless it is set or off', (t) => {
  t.is(metricsPort(configOf({}), 'all'), 9464);
  t.is(metricsPort(configOf({}), 'scheduler'), 9465);
  t.is(metricsPort(configOf({ SVC_TELEMETRY_METRICS_PORT: '1' }), 'scheduler'), 1);
  t.is(metricsPort(configOf({ SVC_TELEMETRY_METRICS_PORT: 'off' }), 'api'), null);
  // Disables only the metrics; the probes on the port remain.
  t.is(metricsPort(configOf({ SVC_TELEMETRY_ENABLED: 'false' }), 'api'), 9464);
  const same = checkConfig(configOf({ SVC_PORT: '9464' }), 'api');
  t.regex(same[0] ?? '', /^telemetry\.metrics_port: 9464 is runtime\.port/);
});

test('the public URL is the one set, else that of the listener', (t) => {
  t.is(publicUrl(configOf({})), 'http://127.0.0.1:7700');
  t.is(publicUrl(configOf({ SVC_BIND: '::1' }), 8080), 'http://[::1]:8080');
  t.is(publicUrl(configOf({ SVC_PUBLIC_URL: 'https://a.example/' })), 'https://a.example');
});

test('a description names every origin and shows no secret', (t) => {
  const env = {
    SVC_AUTH_API_KEY: 'hunter2',
    SVC_ENCRYPTION_KEY: `${'hunter2'.repeat(6)}A=`,
    SVC_DATABASE_URL: 'postgres://ann:hunter2@db/svc?password=hunter2',
    SVC_TELEMETRY_OTLP_ENDPOINT: 'https://ann:hunter2@collector',
  };
  const loaded = loadConfig({ flags: {}, env, cwd: '/nowhere', mode: 'serve' });
  if (!loaded.ok) return t.fail(loaded.problems.join('\n'));
  const lines = describeConfig(loaded.config, loaded.origins);
  t.false(JSON.stringify(lines).includes('hunter2'));
  t.deepEqual(
    lines.filter((line) => line.origin !== 'default'),
    [
      {
        key: 'database.url',
        value: 'postgres://ann:***@db/svc?password=***',
        origin: 'env SVC_DATABASE_URL',
      },
      { key: 'auth.api_key', value: '***', origin: 'env SVC_AUTH_API_KEY' },
      { key: 'memory.encryption_key', value: '***', origin: 'env SVC_ENCRYPTION_KEY' },
      {
        key: 'telemetry.otlp.endpoint',
        value: 'https://ann:***@collector',
        origin: 'env SVC_TELEMETRY_OTLP_ENDPOINT',
      },
    ],
  );
});

function configOf(env: Record<string, string>): Config {
  const loaded = loadConfig({ flags: {}, env, cwd: '/nowhere', mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}
