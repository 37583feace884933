import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';

import { CHART, DIGEST_FILE, digestOfChart } from './chart-cases.ts';
import { PLAIN, renderPlainManifests } from './plain-manifests.ts';

const AGAIN = 'run: npm run deploy:render (it needs helm)';

test('the stored manifests were rendered from the current chart', (t) => {
  t.is(readFileSync(DIGEST_FILE, 'utf8'), digestOfChart(), AGAIN);
});

test('deploy/kubernetes is what comes of the chart', async (t) => {
  for (const [path, text] of await renderPlainManifests()) {
    t.is(readFileSync(join(PLAIN, path), 'utf8'), text, `${path}: ${AGAIN}`);
  }
});

test('every manifest of deploy/kubernetes is listed once, and every listed one exists', async (t) => {
  const kustomizations = readdirSync(PLAIN, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('kustomization.yaml'),
  );
  const listed = kustomizations.flatMap((path) => {
    const { resources = [], components = [] } = parse(readFileSync(join(PLAIN, path), 'utf8')) as {
      readonly resources?: readonly string[];
      readonly components?: readonly string[];
    };
    return [...resources, ...components].map((entry) => join(PLAIN, dirname(path), entry));
  });
  for (const path of listed) t.true(existsSync(path), relative(PLAIN, path));
  const files = listed
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => relative(PLAIN, path));
  t.deepEqual(files.toSorted(), [...(await renderPlainManifests()).keys()].toSorted());
});

test('the chart has the version of the program', (t) => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string };
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as {
    readonly version: string;
    readonly appVersion: string;
  };
  t.is(chart.version, version);
  t.is(chart.appVersion, version);
});
