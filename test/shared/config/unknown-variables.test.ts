import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { loadConfig } from '../../../src/shared/config/load.ts';
import {
  findUnknownVariables,
  tellUnknownVariables,
} from '../../../src/shared/config/unknown-variables.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

type Env = Readonly<Record<string, string>>;

const namesOf = (env: Env) => findUnknownVariables(env, null).map(({ name }) => name);

function configOf(env: Env) {
  const loaded = loadConfig({ flags: {}, env, configFile: null, cwd: ROOT, mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

test('the warning about a misspelt setting has the nearest known name', (t) => {
  const env = { SVC_DATABSE_URL: 'x', SVC_WHOLLY_UNLIKE: '1', PATH: '/bin', DATABSE_URL: 'x' };
  const unknown = findUnknownVariables(env, null);
  t.deepEqual(unknown, [
    { name: 'SVC_DATABSE_URL', meant: 'SVC_DATABASE_URL' },
    { name: 'SVC_WHOLLY_UNLIKE', meant: null },
  ]);
  t.is(
    tellUnknownVariables(unknown),
    'no part of svc reads these environment variables: SVC_DATABSE_URL (did you mean ' +
      'SVC_DATABASE_URL?), SVC_WHOLLY_UNLIKE; correct or unset them, docs/reference/configuration.md ' +
      'lists the known ones',
  );
  t.is(tellUnknownVariables([]), null);
});

test('each variable that a part of svc or a page names is known', (t) => {
  const files = globSync(
    ['{bin,src,sdk,console,deploy,examples,docs}/**/*', 'README.md', 'test/console/**/*.ts'],
    { cwd: ROOT, withFileTypes: true, exclude: (entry) => SKIPPED.has(entry.name) },
  ).filter((entry) => entry.isFile() && READ.test(entry.name));
  t.true(files.length > 1_000);
  const named = new Set(
    files.flatMap(({ parentPath, name }) => {
      const text = readFileSync(`${parentPath}/${name}`, 'utf8');
      return (text.match(/\bSVC_[A-Z0-9_]+\b/g) ?? []).filter((one) => !one.endsWith('_'));
    }),
  );
  t.true(named.has('SVC_CONTEXT') && named.has('SVC_BIN'));
  t.deepEqual(namesOf(Object.fromEntries([...named].map((name) => [name, 'set']))), []);
});

const SKIPPED = new Set(['node_modules', 'dist', 'target', 'tests', 'test']);
const READ = /\.(?:ts|tsx|js|py|java|sh|ya?ml|tpl|toml|service|md)$|^(?:Dockerfile|\.env.*)$/;

test('empty variables, and those that Kubernetes sets for services, are no settings', (t) => {
  t.deepEqual(
    namesOf({
      SVC_NONSENSE: '',
      SVC_SERVICE_HOST: '10.0.0.1',
      SVC_API_SERVICE_PORT_HTTP: '7700',
      SVC_API_PORT: 'tcp://10.0.0.1:7700',
      SVC_API_PORT_7700_TCP_ADDR: '10.0.0.1',
    }),
    [],
  );
});

test('secrets that workflows and MCP servers may name are known', (t) => {
  const env = { SVC_SECRET_SHOP: 'x', SVC_SHOP_KEY: 'x', SVC_FILES_KEY: 'x' };
  t.deepEqual(namesOf(env), ['SVC_SHOP_KEY', 'SVC_FILES_KEY']);
  const config = configOf({
    SVC_TOOLS_SECRETS: 'acme:SVC_SHOP_*',
    SVC_MCP_SERVERS: JSON.stringify({ files: { command: ['files'], env: ['SVC_FILES_KEY'] } }),
  });
  t.deepEqual(findUnknownVariables(env, config), []);
});
