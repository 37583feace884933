import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { GRACE_MS } from '../../bin/boot/drain.ts';
import { checkConfig } from '../../src/shared/config/check-config.ts';
import { CONFIG_KEY_NAMES, ownEnvNames } from '../../src/shared/config/keys.ts';
import { loadConfig } from '../../src/shared/config/load.ts';

/* `check-with-tools.ts` runs `systemd-analyze`, because some machines lack it. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const UNITS = ['svc-api', 'svc-scheduler', 'svc-migrate'] as const;

test('services run the program of their name, with a Node that the program brings', (t) => {
  const commands = UNITS.map((name) => readUnit(name).get('ExecStart'));
  const [node, config] = ['/opt/svc/node_modules/.bin/node', '--config /etc/svc/svc.toml'];
  t.deepEqual(commands, [
    [`${node} /opt/svc/bin/svc-api.js ${config}`],
    [`${node} /opt/svc/bin/svc-scheduler.js ${config}`],
    [`${node} /opt/svc/bin/svc.js db migrate ${config}`],
  ]);
  for (const name of ['svc-api', 'svc-scheduler', 'svc']) {
    t.true(existsSync(`${ROOT}bin/${name}.js`), name);
  }
});

test('each is hardened, and all alike', (t) => {
  const [api, ...others] = UNITS.map((name) => hardeningOf(name));
  t.true((api?.length ?? 0) > 20);
  for (const other of others) t.deepEqual(other, api);
});

test('variables are settings that the processes accept', (t) => {
  const settings = new Set(CONFIG_KEY_NAMES.flatMap(ownEnvNames));
  for (const name of UNITS) {
    const variables = (readUnit(name).get('Environment') ?? []).join(' ').split(' ');
    const env = Object.fromEntries(variables.map((pair) => pair.split('=', 2)));
    for (const variable of Object.keys(env).filter((one) => one.startsWith('SVC_'))) {
      t.true(settings.has(variable), `${name}: ${variable}`);
    }
    const loaded = loadConfig({ flags: {}, env, cwd: '/', mode: 'serve' });
    t.deepEqual(loaded.ok ? checkConfig(loaded.config) : loaded.problems, [], name);
  }
});

test('a service is given the time that its process may take to stop', (t) => {
  const loaded = loadConfig({ flags: {}, env: {}, cwd: '/', mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const { api, scheduler } = loaded.config;
  const needed = api.drainDelaySeconds + scheduler.shutdownDeadlineSeconds + GRACE_MS / 1000;
  for (const name of ['svc-api', 'svc-scheduler'] as const) {
    t.true(Number(readUnit(name).get('TimeoutStopSec')?.[0]) > needed, name);
  }
});

/** Settings by name, in the order of the file; a name may occur more than once. */
function readUnit(name: (typeof UNITS)[number]): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>();
  for (const line of readFileSync(`${ROOT}deploy/systemd/${name}.service`, 'utf8').split('\n')) {
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

/** All settings that restrict a process. */
function hardeningOf(name: (typeof UNITS)[number]): readonly string[] {
  const pattern =
    /^(User|Group|UMask|StateDirectory|WorkingDirectory|NoNew|Cap|Amb|Protect|Private|Restrict[A-Z](?!.*Exit)|Remove|Lock|SystemCall)/;
  return [...readUnit(name)]
    .filter(([key]) => pattern.test(key) && !key.startsWith('RestartPrevent'))
    .flatMap(([key, values]) => values.map((value) => `${key}=${value}`));
}
