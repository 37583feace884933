import test from 'ava';
import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from '../../../src/shared/config/keys.ts';
import { readValue } from '../../../src/shared/config/read-value.ts';

test('no environment variable or flag belongs to two keys', (t) => {
  const names = CONFIG_KEY_NAMES.flatMap((key) => [
    ...ownEnvNames(key),
    ...(rowOf(key).fallbackEnv ?? []),
    ...(rowOf(key).flag === undefined ? [] : [rowOf(key).flag]),
  ]);
  t.is(new Set(names).size, names.length);
});

test('every key can be set by SVC_<SECTION>_<KEY>', (t) => {
  for (const key of CONFIG_KEY_NAMES) {
    t.is(ownEnvNames(key)[0], `SVC_${key.replaceAll('.', '_').toUpperCase()}`);
  }
});

test('every default is a value its row accepts', (t) => {
  for (const key of CONFIG_KEY_NAMES) {
    const row = rowOf(key);
    const defaults = [row.default, 'devDefault' in row ? row.devDefault : null];
    for (const value of defaults) {
      if (value !== null && value !== undefined) t.true(readValue(row, value, 'toml').ok, key);
    }
  }
});

test('the environment variables of the interface are known', (t) => {
  const known = new Set(
    CONFIG_KEY_NAMES.flatMap((key) => [...ownEnvNames(key), ...(rowOf(key).fallbackEnv ?? [])]),
  );
  const promised = [
    'SVC_DATABASE_URL',
    'SVC_RUNTIME_PORT',
    'SVC_RUNTIME_WORKERS',
    'SVC_AUTH_API_KEY',
    'SVC_LOG_LEVEL',
    'SVC_LOG_FORMAT',
    'SVC_BIND',
    'SVC_PORT',
    'SVC_PUBLIC_URL',
    'DATABASE_URL',
    'RUST_LOG',
  ];
  t.deepEqual(
    promised.filter((name) => !known.has(name)),
    [],
  );
});
