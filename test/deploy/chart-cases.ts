import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** One way to install the chart: the given values, and the resulting manifests. */
export interface ChartCase {
  readonly name: string;
  readonly valuesFile: string;
  readonly values: object;
  /** The committed output of helm; see `render-chart.ts`. */
  readonly renderedFile: string;
}

export const CHART = fileURLToPath(new URL('../../deploy/helm/svc/', import.meta.url));
const CASES = new URL('cases/', import.meta.url);
const RENDERED = new URL('rendered/', import.meta.url);
export const DIGEST_FILE = fileURLToPath(new URL('chart.sha256', RENDERED));

/** The cases in `test/deploy/cases`, one file of values each. */
export function chartCases(): readonly ChartCase[] {
  return readdirSync(CASES)
    .toSorted()
    .map((file) => {
      const valuesFile = fileURLToPath(new URL(file, CASES));
      return {
        name: basename(file, '.yaml'),
        valuesFile,
        values: (parse(readFileSync(valuesFile, 'utf8')) ?? {}) as object,
        renderedFile: fileURLToPath(new URL(file, RENDERED)),
      };
    });
}

/** The output of helm for a case, from the last rendering of the chart. */
export function readRendered(name: string): string {
  return readFileSync(new URL(`${name}.yaml`, RENDERED), 'utf8');
}

/**
 * The digest of everything that a rendering depends on: the chart and the values of the cases. It
 * omits the schema, which only refuses values, and the linked alerts. It reveals an outdated
 * rendering where helm is missing.
 */
export function digestOfChart(): string {
  const files = readdirSync(CHART, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'values.schema.json')
    .map((entry) => `${entry.parentPath.replace(/\/$/, '')}/${entry.name}`)
    .toSorted();
  const hash = createHash('sha256');
  for (const file of [...files, ...chartCases().map(({ valuesFile }) => valuesFile)]) {
    hash.update(`${file.slice(file.lastIndexOf('/deploy/'))}\0${readFileSync(file, 'utf8')}\0`);
  }
  return `${hash.digest('hex')}\n`;
}
