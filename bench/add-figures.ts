import { readFileSync } from 'node:fs';

import { addReport, renderReport, type Report } from './support/report.ts';
import { readFigures, savePage } from './support/save-results.ts';

/*
 * npm run bench:add -- <report.json> …
 * Adds figures that a separate run measured (`npm run -s bench:idle -- --json > idle.json`) to
 * docs/concepts/performance.md, beside the figures there.
 */

const files = process.argv.slice(2);
if (files.length === 0) throw new Error('name the files that --json has written');
const read = (file: string): Report => JSON.parse(readFileSync(file, 'utf8')) as Report;
const report = files.map(read).reduce(addReport, readFigures<Report>());
await savePage(renderReport(report), report);
console.log(
  `docs/concepts/performance.md has ${report.results.length} workloads, ` +
    `${report.gates.filter(({ verdict }) => verdict !== 'not measured').length} of ` +
    `${report.gates.length} gates judged`,
);
