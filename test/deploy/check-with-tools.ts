import { deepEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/*
 * Checks the files of `deploy` with the programs that read them: helm, kustomize, systemd, and
 * Prometheus. Run it before a release; the tests of every change do without these programs. A
 * missing program is an error, which names its source.
 */

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const failed: string[] = [];

check('helm renders the chart as it is kept', () => {
  run(process.execPath, [join(DEPLOY, '../test/deploy/render-chart.ts'), '--check'], 'Node');
});
check('the chart brings the alerts, word for word', () => {
  const chart = ['template', 'svc', join(DEPLOY, 'helm/svc'), '--set', 'monitoring.enabled=true'];
  const only = ['--show-only', 'templates/monitoring/alerts.yaml', '--kube-version', '1.25.0'];
  const { stdout: rule } = run(
    process.env['HELM'] || 'helm',
    [...chart, ...only],
    'helm 3, or set HELM to it',
  );
  const { spec } = parse(rule) as { readonly spec: unknown };
  deepEqual(spec, parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8')));
});
for (const folder of ['base', 'migrate', 'examples/production', 'examples/production/migrate']) {
  check(`kustomize builds ${folder}`, () => {
    const { stdout: built } = run(
      'kubectl',
      ['kustomize', join(DEPLOY, 'kubernetes', folder)],
      'kubectl',
    );
    if (!/^kind: /m.test(built)) throw new Error('it built nothing');
  });
}
check('systemd accepts the units', verifyUnits);
check('Prometheus reads its configuration', () => {
  const file = join(DEPLOY, 'prometheus/prometheus.yaml');
  run('promtool', ['check', 'config', file], 'the package prometheus');
});
if (failed.length > 0) process.exitCode = 1;

/** Verifies the units in a separate root that contains the programs that they start. */
function verifyUnits(): void {
  const root = mkdtempSync(join(tmpdir(), 'svc-check-units-'));
  try {
    const units = join(root, 'etc/systemd/system');
    cpSync(join(DEPLOY, 'systemd'), units, { recursive: true });
    const names = ['svc-api', 'svc-scheduler', 'svc-migrate'].map((name) => `${name}.service`);
    for (const name of names) {
      const [, program = ''] =
        /^ExecStart=(\S+)/m.exec(readFileSync(join(units, name), 'utf8')) ?? [];
      mkdirSync(dirname(join(root, program)), { recursive: true });
      writeFileSync(join(root, program), '#!/bin/sh\n');
      chmodSync(join(root, program), 0o755);
    }
    // The system provides the targets that the units name.
    for (const target of ['network-online', 'multi-user', 'sysinit', 'basic', 'shutdown']) {
      writeFileSync(join(units, `${target}.target`), `[Unit]\nDescription=${target}\n`);
    }
    const args = ['verify', '--man=no', `--root=${root}`, ...names];
    const { stdout, stderr } = run('systemd-analyze', args, 'the package systemd');
    if (stdout + stderr !== '') throw new Error(stdout + stderr);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function check(title: string, carryOut: () => void): void {
  try {
    carryOut();
    process.stdout.write(`ok: ${title}\n`);
  } catch (error) {
    failed.push(title);
    process.stdout.write(
      `FAILED: ${title}\n${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], comesWith: string): Said {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) {
    throw new Error(`${program} cannot be run: install ${comesWith}`, { cause: error });
  }
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stdout}${stderr}`);
  return { stdout, stderr };
}
