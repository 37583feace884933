import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { PACKAGE, reportApi } from '../../sdk/typescript/scripts/report-api.ts';

/*
 * Compares the public API of the SDK with the committed report. A change of the API changes that
 * file: UPDATE_DOCS=1 npm test -- test/sdk/public-api.test.ts
 */

test('the public API of the SDK is the one in its report', (t) => {
  const path = join(PACKAGE, 'public-api.txt');
  const report = reportApi();
  if (process.env['UPDATE_DOCS']) writeFileSync(path, report);
  t.is(report, readFileSync(path, 'utf8'));
});
