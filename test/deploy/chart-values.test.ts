import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import test from 'ava';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';

import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from '../../src/shared/config/keys.ts';
import { chartCases } from './chart-cases.ts';

/* `UPDATE_DOCS=1 npx ava test/deploy/chart-values.test.ts` updates the names of the settings. */

const SCHEMA = new URL('../../deploy/helm/svc/values.schema.json', import.meta.url);
const VALUES = new URL('../../deploy/helm/svc/values.yaml', import.meta.url);

/** Settings that the chart computes, so that probes, ports and time limits match them. */
const OF_THE_CHART = new Set([
  'runtime.bind',
  'runtime.port',
  'database.url',
  'database.auto_migrate',
  'telemetry.enabled',
  'telemetry.metrics_port',
  'api.drain_delay_seconds',
  'scheduler.shutdown_deadline_seconds',
]);

interface Schema {
  readonly definitions: { readonly env: { readonly propertyNames: { enum: readonly string[] } } };
}

test('the values may name every setting that is neither a secret nor the chart’s own', async (t) => {
  const settings = CONFIG_KEY_NAMES.filter((key) => {
    const { type } = rowOf(key);
    return type !== 'secret' && type !== 'secret_key' && !OF_THE_CHART.has(key);
  });
  const names = settings.flatMap(ownEnvNames);
  if (process.env['UPDATE_DOCS'] === '1') {
    const schema = readSchema();
    schema.definitions.env.propertyNames.enum = names;
    const config = await resolveConfig(SCHEMA);
    const text = await format(JSON.stringify(schema), { ...config, filepath: SCHEMA.pathname });
    writeFileSync(SCHEMA, text);
  }
  t.deepEqual(
    readSchema().definitions.env.propertyNames.enum,
    names,
    'run: UPDATE_DOCS=1 npx ava test/deploy/chart-values.test.ts',
  );
  for (const key of OF_THE_CHART)
    t.true((CONFIG_KEY_NAMES as readonly string[]).includes(key), key);
});

test('the values of the chart, and those it is tried out with, are as the schema says', (t) => {
  const validate = compileSchema();
  for (const [name, values] of [
    ['values.yaml', parse(readFileSync(VALUES, 'utf8'))] as const,
    ...chartCases().map(({ name, values }) => [name, values] as const),
  ]) {
    t.true(validate(values), `${name}: ${JSON.stringify(validate.errors)}`);
  }
});

const REFUSED: readonly (readonly [string, object])[] = [
  ['a setting that is none', { env: { SVC_LOG_LEVELS: 'debug' } }],
  ['a secret among the settings', { env: { SVC_AUTH_API_KEY: 'not here' } }],
  ['a setting that the probes depend on', { api: { env: { SVC_TELEMETRY_METRICS_PORT: '1' } } }],
  ['a misspelled value', { api: { replica: 5 } }],
  ['an image by a digest that is none', { image: { digest: 'sha256:abc' } }],
  ['more schedulers than there are shards', { scheduler: { autoscaling: { maxReplicas: 65 } } }],
];

for (const [title, values] of REFUSED) {
  test(`refused: ${title}`, (t) => {
    t.false(compileSchema()(values));
  });
}

function compileSchema() {
  return new Ajv({ allErrors: true, allowUnionTypes: true }).compile(readSchema());
}

function readSchema(): Schema {
  return JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema;
}
