import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';

import { CHART, chartCases, DIGEST_FILE, digestOfChart } from './chart-cases.ts';
import { PLAIN, renderPlainManifests } from './plain-manifests.ts';

/*
 * Lints the chart with helm and renders it for every case in `test/deploy/cases`. It stores the
 * results in `test/deploy/rendered`, where tests without helm read them, and derives the files of
 * `deploy/kubernetes` from them. With --check it writes nothing, and fails when a result differs
 * from the stored one.
 */

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const HELM = process.env['HELM'] || 'helm';
/** Older than any supported version, so that the chart relies on nothing newer. */
const KUBERNETES = '1.25.0';
const differing: string[] = [];

helm(['lint', '--strict', CHART]);
for (const { name, valuesFile, renderedFile } of chartCases()) {
  const on = ['--namespace', 'svc', '--kube-version', KUBERNETES, '--values', valuesFile];
  keep(renderedFile, helm(['template', 'svc', CHART, ...on]));
  process.stderr.write(`rendered ${name}\n`);
}
keep(DIGEST_FILE, digestOfChart());
for (const [path, text] of await renderPlainManifests()) keep(PLAIN + path, text);
for (const file of differing) process.stderr.write(`${file} is out of date\n`);
if (differing.length > 0) {
  process.stderr.write('run: npm run deploy:render\n');
  process.exitCode = 1;
}

function keep(file: string, text: string): void {
  if (!options.check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) differing.push(file);
}

function helm(args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(HELM, args, { encoding: 'utf8' });
  if (error !== undefined) {
    throw new Error(
      `${HELM} cannot be run: install helm 3 (go install helm.sh/helm/v3/cmd/helm@v3.19.0), or set HELM to it`,
      { cause: error },
    );
  }
  if (status !== 0) throw new Error(`helm ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}
