import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { judge, type CheckResult } from '../judge.ts';
import type { Leg, LegTotals } from '../leg.ts';
import { installNpm, runTool } from '../tools.ts';
import { EXPECTED_FAILURES, LEFT_OUT } from './expected-failures.ts';
import { openFixture } from './open-fixture.ts';

/** The first version that supports revision 2026-07-28. */
const KIT = { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' };
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
const RUN_MS_MAX = 180_000;

/**
 * The conformance kit of the Model Context Protocol, against the API with the tools that the kit
 * needs.
 */
export const mcpConformance: Leg = {
  name: 'mcp-conformance',
  async run(): Promise<LegTotals> {
    const kit = await installNpm(KIT);
    const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-conformance-'));
    const api = await openFixture();
    try {
      const results: CheckResult[] = [];
      for (const revision of REVISIONS) {
        const output = join(folder, revision);
        await runTool({
          command: process.execPath,
          args: [
            join(kit, 'dist', 'index.js'),
            'server',
            '--suite=all',
            `--spec-version=${revision}`,
            `--output-dir=${output}`,
            `--url=${api.url}/mcp`,
          ],
          cwd: kit,
          timeoutMs: RUN_MS_MAX,
        });
        results.push(...(await readResults(output, revision)));
      }
      return judge({ results, expected: EXPECTED_FAILURES, write });
    } finally {
      await api.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** The kit writes a folder for each scenario, with a name made of the scenario and the time. */
async function readResults(output: string, revision: string): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const name of (await readdir(output)).toSorted()) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
    if (LEFT_OUT.some(({ scenarios }) => scenarios.test(scenario))) continue;
    const checks = await readFile(join(output, name, 'checks.json'), 'utf8');
    for (const { id, status } of JSON.parse(checks) as readonly Check[]) {
      if (status !== 'SUCCESS' && status !== 'FAILURE') continue;
      results.push({ name: `${scenario}: ${id} in ${revision}`, passed: status === 'SUCCESS' });
    }
  }
  return results;
}

/** Only `SUCCESS` and `FAILURE` are verdicts. */
interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
}

function write(text: string): void {
  process.stdout.write(text);
}
