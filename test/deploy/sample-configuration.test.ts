import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

import { configValue } from '../../src/shared/config/config.ts';
import type { Config } from '../../src/shared/config/config.ts';
import { CONFIG_KEY_NAMES, rowOf } from '../../src/shared/config/keys.ts';
import { loadConfig } from '../../src/shared/config/load.ts';
import { renderConfigSample } from '../../src/shared/config/render-sample.ts';

const SAMPLE = new URL('../../deploy/svc.example.toml', import.meta.url);
const sample = readFileSync(SAMPLE, 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'svc-test-sample-'));
test.after.always(() => rmSync(folder, { recursive: true }));

test('deploy/svc.example.toml is rendered from the table of keys', (t) => {
  t.is(sample, renderConfigSample(), 'out of date: run `node bin/cli/generate-docs.ts`');
});

test('a copy of it changes nothing', (t) => {
  const { config, origins } = load('untouched.toml', sample);
  t.deepEqual(config, load('empty.toml', '').config);
  t.true([...origins.values()].every((origin) => origin === 'default'));
});

test('every line can be switched on, and sets what the product would have taken anyway', (t) => {
  const { config, origins } = load('all.toml', sample.replaceAll(/^#(?=\w+ = )/gm, ''));
  for (const key of CONFIG_KEY_NAMES) {
    const row = rowOf(key);
    if (row.type === 'secret' || row.type === 'secret_key') {
      t.is(origins.get(key), 'default', key);
      continue;
    }
    t.is(origins.get(key), join(folder, 'all.toml'), key);
    if (row.default !== null) t.deepEqual(configValue(config, key), row.default, key);
  }
});

function load(name: string, text: string): Loaded {
  const path = join(folder, name);
  writeFileSync(path, text);
  const loaded = loadConfig({ flags: {}, env: {}, configFile: path, cwd: folder, mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded;
}

interface Loaded {
  readonly config: Config;
  readonly origins: ReadonlyMap<string, string>;
}
