import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { openTarget } from './open-target.ts';
import { renderFinding } from './render-report.ts';
import { runCampaign } from './run-campaign.ts';

const MINUTE_MS = 60_000;

/** Routes that cannot succeed here, because they call outside servers, and tests must not. */
const NEVER_SUCCEED = [
  'POST /agents/discover',
  'POST /agents/preview',
  'POST /webhooks/{id}/deliveries/{delivery_id}/redeliver',
];

test('every input is answered by the rules, and a refused one changes nothing', async (t) => {
  t.timeout(3 * MINUTE_MS);
  const database = await createTestDatabase('sqlite');
  const target = await openTarget(database.url);
  t.teardown(async () => {
    await target.close();
    await database.drop();
  });
  const report = await runCampaign({
    ...target,
    seed: '1',
    // Other tests may slow the machine down, so these limits are far above normal values.
    limits: { memoryGrowthMb: 400, cpuMs: 3_000, healthMs: 30_000 },
    holdsOpen: false,
    goesOn: (rounds) => rounds < 1,
    progress: (text) => t.log(text),
  });
  for (const finding of report.findings) t.fail(renderFinding(finding, target.runtime.url));

  // A route that no request reached proves nothing.
  for (const [name, { valid, mutated }] of Object.entries(report.operations)) {
    const succeeded = Object.keys(valid).some((status) => status.startsWith('2'));
    t.is(succeeded, !NEVER_SUCCEED.includes(name), `${name}: ${report.misses[name] ?? ''}`);
    t.true(Object.keys(mutated).length > 0, `${name} was never sent changed`);
  }
  t.true(Object.keys(report.shapes).length > 30);
  for (const outcome of ['completed', 'failed', 'refused']) {
    t.true((report.workflows[outcome] ?? 0) > 0, `no workflow was ${outcome}`);
  }
  t.true(report.stateChecked > 100);
  t.is(report.unquiet, 0);
});
