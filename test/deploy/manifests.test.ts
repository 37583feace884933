import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';

import { GRACE_MS } from '../../bin/boot/drain.ts';
import { checkConfig } from '../../src/shared/config/check-config.ts';
import type { Config } from '../../src/shared/config/config.ts';
import { CONFIG_KEY_NAMES, ownEnvNames } from '../../src/shared/config/keys.ts';
import { metricsPort } from '../../src/shared/config/listeners.ts';
import { loadConfig } from '../../src/shared/config/load.ts';
import { METRICS } from '../../src/shared/telemetry/metric-list.ts';
import { chartCases } from './chart-cases.ts';
import { findTypeErrors } from './manifest-types.ts';
import { renderedManifests, workloadsOf, type Labels, type Manifest } from './manifests.ts';

const { bin } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly bin: Readonly<Record<string, string>> };
const SCRAPE_CONFIG = readFileSync(
  new URL('../../deploy/prometheus/prometheus.yaml', import.meta.url),
  'utf8',
);
const cases = chartCases().map(({ name }) => ({ name, manifests: renderedManifests(name) }));

/** Runs a check on every rendered case of the chart. */
function inEveryCase(
  title: string,
  check: (t: ExecutionContext, manifests: readonly Manifest[]) => void,
): void {
  for (const { name, manifests } of cases) {
    test(`${name}: ${title}`, (t) => check(t, manifests));
  }
}

test('every manifest has the fields of its kind and no others', (t) => {
  t.deepEqual(findTypeErrors(cases.flatMap(({ manifests }) => manifests)), []);
});

test('a field that its kind does not have is found', (t) => {
  const [deployment] = renderedManifests('defaults').filter(({ kind }) => kind === 'Deployment');
  const broken = structuredClone(deployment) as unknown as {
    spec: { template: { spec: { containers: Record<string, unknown>[] } } };
  };
  const [container = {}] = broken.spec.template.spec.containers;
  container['livenesProbe'] = container['livenessProbe'];
  const [error = ''] = findTypeErrors([broken as unknown as Manifest]);
  t.regex(error, /^Deployment svc-\w+: .*livenesProbe/);
});

test('defaults: three of each, with the resources of the reference deployment', (t) => {
  const manifests = renderedManifests('defaults');
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  t.deepEqual(
    deployments.map(({ metadata, spec }) => [metadata.name, spec?.replicas]),
    [
      ['svc-api', 3],
      ['svc-scheduler', 3],
    ],
  );
  for (const { container } of workloadsOf(deployments)) {
    t.deepEqual(container.resources, {
      requests: { cpu: '250m', memory: '256Mi' },
      limits: { cpu: '2', memory: '1Gi' },
    });
  }
});

inEveryCase('pods run as nobody special, on a file system that is read-only', (t, manifests) => {
  for (const { name, pod, container } of workloadsOf(manifests)) {
    t.like(
      pod,
      {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      },
      name,
    );
    t.like(
      container.securityContext,
      {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      name,
    );
  }
});

inEveryCase(
  'commands are programs of the package, variables settings it accepts',
  (t, manifests) => {
    const settings = new Set(CONFIG_KEY_NAMES.flatMap(ownEnvNames));
    for (const { name, container } of workloadsOf(manifests)) {
      const [program = ''] = container.command;
      t.true(Object.hasOwn(bin, program), `${name}: ${program}`);
      for (const variable of container.env) t.true(settings.has(variable.name), variable.name);
      t.deepEqual(checkConfig(configOf(container.env)), [], name);
    }
  },
);

inEveryCase('probes and scrapes go to the listener for them, under its paths', (t, manifests) => {
  for (const role of ['api', 'scheduler'] as const) {
    const { container } = workload(manifests, `-${role}`);
    const config = configOf(container.env);
    const ports = Object.fromEntries(
      container.ports?.map(({ name, containerPort }) => [name, containerPort]) ?? [],
    );
    t.is(ports['ops'], metricsPort(config, role) ?? 0);
    if (role === 'api') t.is(ports['http'], config.runtime.port);
    // The kubelet and Prometheus connect from other hosts.
    t.is(config.runtime.bind, '0.0.0.0');
    t.deepEqual(container.startupProbe?.httpGet, { path: '/health', port: 'ops' });
    t.deepEqual(container.livenessProbe?.httpGet, { path: '/health', port: 'ops' });
    t.deepEqual(container.readinessProbe?.httpGet, { path: '/ready', port: 'ops' });
  }
  for (const { spec } of manifests) {
    for (const scraped of [...(spec?.endpoints ?? []), ...(spec?.podMetricsEndpoints ?? [])]) {
      t.is(scraped.port, 'ops');
      t.is(scraped.path, '/metrics');
      // Alerts and dashboard use the names of the plain configuration.
      const job = scraped.relabelings.find(({ targetLabel }) => targetLabel === 'job');
      t.true(SCRAPE_CONFIG.includes(`job_name: ${job?.replacement}\n`), job?.replacement);
    }
  }
});

inEveryCase('a pod is given the time that its process may take to stop', (t, manifests) => {
  for (const role of ['api', 'scheduler'] as const) {
    const { pod, container } = workload(manifests, `-${role}`);
    const { api, scheduler } = configOf(container.env);
    const leave = role === 'api' ? api.drainDelaySeconds : 0;
    if (role === 'api') t.true(leave >= 5, 'endpoints need some seconds to leave');
    const needed = leave + scheduler.shutdownDeadlineSeconds + GRACE_MS / 1000;
    t.true((pod.terminationGracePeriodSeconds ?? 0) > needed, role);
  }
});

inEveryCase('selectors find the pods of one workload, and ports that they have', (t, manifests) => {
  const workloads = workloadsOf(manifests);
  for (const { kind, metadata, spec } of manifests) {
    const selector = spec?.podSelector?.matchLabels ?? matchLabels(spec?.selector);
    if (selector === null) continue;
    const found = workloads.filter(({ labels }) => covers(labels, selector));
    t.is(found.length, 1, `${kind} ${metadata.name}`);
    const named = new Set(found[0]?.container.ports?.map(({ name }) => name));
    const wanted = [
      ...(spec?.ports ?? []).map(({ targetPort }) => targetPort),
      ...(spec?.podMetricsEndpoints ?? []).map(({ port }) => port),
      ...(spec?.ingress ?? []).flatMap(({ ports }) => ports.map(({ port }) => port)),
    ];
    for (const port of wanted) t.true(named.has(port), `${kind} ${metadata.name}: ${port}`);
  }
});

inEveryCase('a ServiceMonitor finds one service with its port', (t, manifests) => {
  const found = manifests
    .filter(({ kind }) => kind === 'ServiceMonitor')
    .map(({ spec }) =>
      manifests.filter(
        ({ kind, metadata, spec: service }) =>
          kind === 'Service' &&
          covers(metadata.labels ?? {}, matchLabels(spec?.selector) ?? {}) &&
          service?.ports?.some(({ name }) => name === spec?.endpoints?.[0]?.port),
      ),
    );
  t.true(found.every((services) => services.length === 1));
});

inEveryCase('a scaling target exists, and leaves the count to its scaler', (t, manifests) => {
  const targets = manifests
    .flatMap(({ spec }) => spec?.scaleTargetRef?.name ?? [])
    .map((name) =>
      manifests.find((one) => one.kind === 'Deployment' && one.metadata.name === name),
    );
  t.true(targets.every((target) => target !== undefined && target.spec?.replicas === undefined));
});

inEveryCase('the migration needs nothing of the release, as it comes before it', (t, manifests) => {
  const job = manifests.find(({ kind }) => kind === 'Job');
  if (job === undefined)
    return t.false(manifests.some(({ metadata }) => /migrate/.test(metadata.name)));
  const [{ pod, container } = workload(manifests, '-migrate')] = workloadsOf([job]);
  t.is(pod.serviceAccountName, undefined);
  t.deepEqual(container.envFrom ?? [], []);
  for (const manifest of manifests.filter(({ metadata }) => /migrate/.test(metadata.name))) {
    const annotations = manifest.metadata.annotations ?? {};
    t.is(annotations['helm.sh/hook'], 'pre-install,pre-upgrade');
    t.true(Number(annotations['helm.sh/hook-weight']) <= (manifest === job ? 0 : -1));
  }
});

inEveryCase('no secret is part of it', (t, manifests) => {
  t.false(manifests.some(({ kind }) => kind === 'Secret'));
  for (const { container } of workloadsOf(manifests)) {
    const url = container.env.find(({ name }) => name === 'SVC_DATABASE_URL');
    t.truthy(url?.valueFrom?.secretKeyRef.name);
    t.is(url?.value, undefined);
  }
});

test('metrics that replicas follow exist, with the labels that are asked for', (t) => {
  const queries = cases
    .flatMap(({ manifests }) => manifests)
    .flatMap(({ spec }) => spec?.triggers?.map(({ metadata }) => metadata.query) ?? []);
  t.true(queries.length > 0);
  const known = new Map<string, readonly string[]>(
    Object.values(METRICS).map(({ name, labels }) => [name, labels]),
  );
  for (const query of queries) {
    const asked = [...query.matchAll(/(svc_\w+)\{([^}]*)\}/g)];
    t.is(asked.length, [...query.matchAll(/svc_\w+/g)].length);
    for (const [, name = '', matchers = ''] of asked) {
      t.true(known.has(name), `${name} is no metric of svc`);
      const labels = [...matchers.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label);
      // Prometheus adds the namespace of the target.
      for (const label of labels) t.true(label === 'namespace' || known.get(name)?.includes(label));
    }
  }
});

/** The configuration of a process with these variables; valid values replace the secrets. */
function configOf(env: ReturnType<typeof workload>['container']['env']): Config {
  const loaded = loadConfig({
    flags: {},
    env: Object.fromEntries(
      env.map(({ name, value }) => [name, value ?? 'postgres://svc@localhost/svc']),
    ),
    cwd: '/',
    mode: 'serve',
  });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

function workload(manifests: readonly Manifest[], suffix: string) {
  const found = workloadsOf(manifests).find(({ name }) => name.endsWith(suffix));
  if (found === undefined) throw new Error(`no workload is called …${suffix}`);
  return found;
}

function matchLabels(selector: Labels | { readonly matchLabels: Labels } | undefined) {
  if (selector === undefined) return null;
  const { matchLabels: labels } = selector as { readonly matchLabels?: Labels };
  return labels ?? (selector as Labels);
}

function covers(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
