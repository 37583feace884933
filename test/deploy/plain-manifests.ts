import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { isMap, parseAllDocuments, type Document } from 'yaml';

import { readRendered } from './chart-cases.ts';

/*
 * `deploy/kubernetes` is the chart for users without helm: helm's output without the parts that
 * only helm reads, in one file per template. Its kustomization files are written by hand.
 */

/**
 * The case that supplies each template: the base uses the defaults, the rest has its parts switched
 * on.
 */
const FROM: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    'defaults',
    {
      'api-deployment.yaml': 'base/api-deployment.yaml',
      'api-service.yaml': 'base/api-service.yaml',
      'scheduler-deployment.yaml': 'base/scheduler-deployment.yaml',
      'service-account.yaml': 'base/service-account.yaml',
      'disruption-budgets.yaml': 'base/disruption-budgets.yaml',
      'migrate/job.yaml': 'migrate/job.yaml',
    },
  ],
  [
    'components',
    {
      'migrate/network-policy.yaml': 'migrate/network-policy.yaml',
      'network/policies.yaml': 'components/network-policies/policies.yaml',
      'monitoring/monitors.yaml': 'components/monitoring/monitors.yaml',
      'autoscaling/api.yaml': 'components/autoscaling/api.yaml',
      'autoscaling/scheduler.yaml': 'components/autoscaling/scheduler.yaml',
    },
  ],
];

const HEAD = `# Made from deploy/helm/svc by npm run deploy:render: change the chart, and run it again.\n`;

export const PLAIN = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

/** The text of each file of `deploy/kubernetes`, by its path there. */
export async function renderPlainManifests(): Promise<ReadonlyMap<string, string>> {
  const style = { ...(await resolveConfig(`${PLAIN}any.yaml`)), parser: 'yaml' };
  const files = new Map<string, string>();
  for (const [name, templates] of FROM) {
    const rendered = splitBySource(readRendered(name));
    for (const [template, path] of Object.entries(templates)) {
      const text = rendered.get(template);
      if (text === undefined) throw new Error(`${name}: nothing was rendered from ${template}`);
      const documents = parseAllDocuments(text) as Document[];
      for (const document of documents) leaveOutHelm(document);
      const texts = documents.map((one) => one.toString({ lineWidth: 0 }).replace(/^---\n/, ''));
      files.set(path, await format(HEAD + texts.join('---\n'), style));
    }
  }
  return files;
}

/** helm puts the path of the template above each document that it produces. */
function splitBySource(text: string): ReadonlyMap<string, string> {
  const bySource = new Map<string, string>();
  for (const part of text.split(/^---\n/m)) {
    const [, source = ''] = /^# Source: svc\/templates\/(.+)\n/.exec(part) ?? [];
    if (source === '') continue;
    const document = part.replace(/^# Source: .*\n/, '');
    bySource.set(
      source,
      `${bySource.has(source) ? `${bySource.get(source)}---\n` : ''}${document}`,
    );
  }
  return bySource;
}

function leaveOutHelm(document: Document): void {
  for (const path of [['metadata'], ['spec', 'template', 'metadata']]) {
    for (const key of ['labels', 'annotations']) {
      const map = document.getIn([...path, key]);
      if (!isMap(map)) continue;
      map.items = map.items.filter(({ key }) => !/^helm\.sh\/|managed-by$/.test(String(key)));
      if (map.items.length === 0) document.deleteIn([...path, key]);
    }
  }
}
