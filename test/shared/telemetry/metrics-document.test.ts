import { readFile, writeFile } from 'node:fs/promises';
import test from 'ava';
import { format } from 'prettier';
import { renderMetricsDocument } from '../../../src/shared/telemetry/metrics-document.ts';

const DOCUMENT = new URL('../../../docs/reference/metrics.md', import.meta.url);

test('docs/reference/metrics.md says what the list of metrics says', async (t) => {
  const rendered = await format(renderMetricsDocument(), { parser: 'markdown' });
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(DOCUMENT, rendered);
  t.is(await readFile(DOCUMENT, 'utf8'), rendered);
});
