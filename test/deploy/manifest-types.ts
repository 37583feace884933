import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Manifest } from './manifests.ts';

/*
 * Checks manifests against the types of the Kubernetes API. It writes each as a constant of its
 * type and compiles it. The compiler also rejects unknown fields; the cluster would silently drop a
 * misspelled one.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CUSTOM = join(ROOT, 'test/deploy/custom-resources.ts');
const MODULES: Readonly<Record<string, string>> = {
  'v1 Service': 'kubernetes-types/core/v1',
  'v1 ServiceAccount': 'kubernetes-types/core/v1',
  'apps/v1 Deployment': 'kubernetes-types/apps/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'kubernetes-types/autoscaling/v2',
  'batch/v1 Job': 'kubernetes-types/batch/v1',
  'networking.k8s.io/v1 NetworkPolicy': 'kubernetes-types/networking/v1',
  'policy/v1 PodDisruptionBudget': 'kubernetes-types/policy/v1',
  'keda.sh/v1alpha1 ScaledObject': CUSTOM,
  'monitoring.coreos.com/v1 PodMonitor': CUSTOM,
  'monitoring.coreos.com/v1 ServiceMonitor': CUSTOM,
};

/** The compiler's errors about the manifests. */
export function findTypeErrors(manifests: readonly Manifest[]): readonly string[] {
  const kinds = new Set(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  const unknown = [...kinds].filter((kind) => MODULES[kind] === undefined);
  if (unknown.length > 0) return unknown.map((kind) => `no types are known of ${kind}`);
  const imports = [...kinds].map(
    (kind) => `import type { ${kind.split(' ')[1]} } from '${MODULES[kind]}';`,
  );
  // One line each, so that an error's line identifies its manifest.
  const constants = manifests.map(
    (manifest, index) => `export const m${index}: ${manifest.kind} = ${JSON.stringify(manifest)};`,
  );
  const lines = [...imports, ...constants];
  return compile(lines.join('\n')).map((message) => {
    const [, line = '0', rest = message] = /^manifests\.ts\((\d+),\d+\): (.*)$/.exec(message) ?? [];
    const manifest = manifests[Number(line) - imports.length - 1];
    return `${manifest?.kind} ${manifest?.metadata.name}: ${rest}`;
  });
}

function compile(source: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-manifests-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'manifests.ts'), source);
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--types', ''];
    const { status, stdout, stderr } = spawnSync(
      join(ROOT, 'node_modules/.bin/tsc'),
      ['--noEmit', '--skipLibCheck', '--allowImportingTsExtensions', ...options, 'manifests.ts'],
      { cwd: folder, encoding: 'utf8' },
    );
    if (status === 0) return [];
    const messages = stdout.split('\n').filter((line) => line.startsWith('manifests.ts('));
    if (messages.length === 0) throw new Error(`the compiler did not run: ${stdout}${stderr}`);
    return messages;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
