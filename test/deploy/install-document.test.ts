import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parse } from 'yaml';

import { CONFIG_KEY_NAMES } from '../../src/shared/config/keys.ts';
import { renderedManifests } from './manifests.ts';

/*
 * Everything that `docs/get-started/install.md` names exists: tests compare its commands with their
 * targets.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const page = read('docs/get-started/install.md');
const blocks = [...page.matchAll(/^```sh ([\w-]+)\n([\s\S]*?)^```$/gm)].map(
  ([, way = '', commands = '']) => ({ way, commands }),
);
const script = (way: string) =>
  blocks.filter((block) => block.way === way).map(({ commands }) => commands);

test('every way has its blocks, and a shell can read them', (t) => {
  t.deepEqual(
    [...new Set(blocks.map(({ way }) => way))],
    ['laptop', 'vm', 'vm-upgrade', 'vm-more', 'vm-worker', 'vm-watch', 'vm-traces'].concat([
      'compose',
      'kubernetes',
      'kubernetes-upgrade',
      'helm',
    ]),
  );
  t.is(blocks.length, [...page.matchAll(/^```sh/gm)].length);
  for (const { way } of blocks) {
    const { status, stderr } = spawnSync('sh', ['-n'], {
      input: script(way).join(''),
      encoding: 'utf8',
    });
    t.is(status, 0, `${way}: ${stderr}`);
  }
});

test('a variable that a block reads is set by one before it, or said to be given', (t) => {
  const given = new Set([...page.matchAll(/^- `(\w+)`: /gm)].map(([, name = '']) => name));
  t.deepEqual([...given], ['REGISTRY', 'DATABASE_URL']);
  for (const way of new Set(blocks.map((block) => block.way))) {
    const text = script(way).join('');
    const set = new Set([...text.matchAll(/\b(\w+)=/g)].map(([, name = '']) => name));
    const read = [...text.matchAll(/\$\{?([a-zA-Z_]\w*)/g)].map(([, name = '']) => name);
    t.deepEqual(
      read.filter((name) => !set.has(name) && !given.has(name)),
      [],
      way,
    );
    t.notRegex(text, /<[a-z]|…|\.\.\.(?!\/)/, `${way}: a place to be filled in`);
  }
});

test('the link of a laptop runs svc in another folder', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'svc-laptop-'));
  t.teardown(() => rmSync(home, { recursive: true }));
  const link = script('laptop').at(-1) ?? '';
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  const { stdout, stderr } = spawnSync('sh', ['-euc', `${link}\ncd ~\nsvc version\n`], {
    cwd: ROOT,
    env: { ...process.env, HOME: home },
    encoding: 'utf8',
  });
  t.is(stderr, '');
  t.is(stdout.split('\n').filter((line) => line.includes(version)).length, 2, stdout);
});

test('files of the repository that it names exist', (t) => {
  const commands = blocks.map((block) => block.commands).join('');
  const named = [
    ...[...commands.matchAll(/(?<![\w/.])((?:deploy|bin)\/[\w./*-]+)/g)].map(
      ([, path = '']) => path,
    ),
    ...[...page.matchAll(/\]\((?!#|http)([^)#]+)/g)].map(
      ([, path = '']) => `docs/get-started/${path}`,
    ),
  ];
  t.true(named.length > 15);
  const made = new Set(['deploy/.env']);
  for (const path of named) {
    if (made.has(path)) continue;
    const known = path.replace('/*.service', '').replace('examples/mine', 'examples/production');
    t.true(existsSync(ROOT + known), path);
  }
});

test('commands of svc exist', (t) => {
  const cli = read('docs/reference/cli.md');
  const named = [...page.matchAll(/(?:^|[`\s(]|-- )svc ((?:db|token|doctor)[a-z ]*)/g)].map(
    ([, name = '']) => name.trim().replace(/ (with|first|as)\b.*$/, ''),
  );
  t.true(
    named.includes('token create') && named.includes('doctor') && named.includes('db migrate'),
  );
  for (const name of new Set(named)) t.true(cli.includes(`\n## svc ${name}\n`), name);
});

test('Prometheus scrapes every process that the page has started, and nothing else', (t) => {
  const all = ['vm', 'vm-more', 'vm-watch'].flatMap(script).join('');
  const [command = ''] = /^sed -e [\s\S]*?prometheus\.yaml/m.exec(all) ?? [];
  const made = spawnSync('bash', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
  t.is(made.status, 0, made.stderr);
  const { scrape_configs: jobs, rule_files: rules } = parse(made.stdout) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly {
      readonly job_name: string;
      readonly static_configs: readonly { readonly targets: readonly string[] }[];
    }[];
  };
  const targets = jobs.flatMap((job) => job.static_configs.flatMap((one) => one.targets));
  const asked = [...all.matchAll(/(127\.0\.0\.1:94\d\d)\/ready/g)].map(([, one = '']) => one);
  t.deepEqual(targets.toSorted(), asked.toSorted());
  t.deepEqual(
    jobs.map(({ job_name: name }) => name),
    ['svc-api', 'svc-scheduler'],
  );
  for (const file of rules)
    t.true(all.includes(`deploy/prometheus/${file} /etc/prometheus/`), file);
});

test('settings and values that it names exist', (t) => {
  const settings = [
    ...page.matchAll(/`((?:runtime|database|auth|api|scheduler|telemetry)\.[a-z_.]+)`/g),
  ].map(([, name = '']) => name);
  const values = parse(read('deploy/helm/svc/values.yaml')) as Record<string, unknown>;
  t.true(settings.length > 3);
  for (const name of settings) {
    const isKey = (CONFIG_KEY_NAMES as readonly string[]).includes(name);
    t.true(isKey || isValue(values, name), name);
  }
  const section = page.slice(page.indexOf('## By helm'));
  for (const [, cell = ''] of section.matchAll(/^\| (`.*?) +\|/gm)) {
    for (const [, name = ''] of cell.matchAll(/`([\w.]+)`/g)) t.true(isValue(values, name), name);
  }
});

test('arguments for kubectl, systemctl and compose name things that exist', (t) => {
  const manifests = renderedManifests('defaults');
  const objects = [...page.matchAll(/\b(job|deployment)\/([\w-]+)/g)];
  t.true(objects.length > 4);
  for (const [, kind, name] of objects) {
    const found = manifests.find(
      (one) => one.kind.toLowerCase() === kind && one.metadata.name === name,
    );
    t.truthy(found, `${kind}/${name}`);
  }
  const secrets = [...page.matchAll(/create secret generic ([\w-]+)/g)].map(([, name]) => name);
  const values = parse(read('deploy/helm/svc/values.yaml')) as {
    readonly database: { readonly secret: { readonly name: string } };
    readonly envFrom: readonly string[];
  };
  t.deepEqual(secrets, [values.database.secret.name, ...values.envFrom]);
  for (const [, units = ''] of page.matchAll(/systemctl (?:start|restart|enable --now) (.+)/g)) {
    for (const unit of units.split(' ')) {
      // A second unit is a copy of the first; the package of Prometheus provides its unit.
      const file = `${ROOT}deploy/systemd/${unit.replace(/-2$/, '')}.service`;
      t.true(unit === 'prometheus' || existsSync(file), unit);
    }
  }
  const { services } = parse(read('deploy/compose.yaml')) as { readonly services: object };
  for (const [, name = ''] of page.matchAll(/exec -T ([\w-]+)/g))
    t.true(Object.hasOwn(services, name), name);
});

test('secrets of compose are those that it asks for', (t) => {
  const asked = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  const written = [
    ...script('compose')
      .join('')
      .matchAll(/^([A-Z_]+)=/gm),
  ].map(([, name]) => name);
  t.deepEqual(new Set(written), new Set(asked));
});

function isValue(values: Record<string, unknown>, path: string): boolean {
  let value: unknown = values;
  for (const part of path.split('.')) {
    // A setting, as a value of `env`.
    if (part.startsWith('SVC_')) return true;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Record<string, unknown>)[part];
  }
  return true;
}

function read(path: string): string {
  return readFileSync(ROOT + path, 'utf8');
}
