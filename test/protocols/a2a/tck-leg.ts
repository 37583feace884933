import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { judge, type CheckResult } from '../judge.ts';
import type { Leg, LegTotals } from '../leg.ts';
import { openService } from '../open-service.ts';
import { installPython, runTool } from '../tools.ts';
import { TCK_EXPECTED_FAILURES } from './tck-expected-failures.ts';

const FOLDER_VARIABLE = 'A2A_TCK_DIR';
const RUN_MS_MAX = 300_000;

/** The requirements of the kit's project file, in the tested versions. */
const PACKAGES = [
  'gherkin-official==42.0.1',
  'googleapis-common-protos==1.76.0',
  'grpcio==1.85.1',
  'httpx==0.28.1',
  'Jinja2==3.1.6',
  'jsonschema==4.26.0',
  'protobuf==7.36.2',
  'pytest==9.2.0',
  'pytest-asyncio==1.5.0',
  'pytest-html==4.2.0',
];

/**
 * The compatibility kit of the Agent2Agent protocol. No registry has it, so a variable names a
 * checkout.
 */
export const a2aTck: Leg = {
  name: 'a2a-tck',
  async run(): Promise<LegTotals> {
    const folder = process.env[FOLDER_VARIABLE] ?? '';
    if (folder === '') {
      write(`SKIPPED: ${FOLDER_VARIABLE} names no checkout of the kit; see docs/contribute.\n`);
      return { passed: 0, failed: 0 };
    }
    if (!existsSync(join(folder, 'tests', 'compatibility'))) {
      throw new Error(`${FOLDER_VARIABLE}=${folder} holds no tests/compatibility`);
    }
    const python = await installPython({ name: 'a2a-tck', packages: PACKAGES });
    const service = await openService({ open: true });
    try {
      const { output } = await runTool({
        command: python,
        args: [
          '-m',
          'pytest',
          'tests/compatibility',
          '-q',
          '-rA',
          '--tb=no',
          '-pno:cacheprovider',
          '--transport=jsonrpc',
          `--sut-host=${service.url}/a2a/agent`,
        ],
        cwd: folder,
        timeoutMs: RUN_MS_MAX,
      });
      return judge({ results: readResults(output), expected: TCK_EXPECTED_FAILURES, write });
    } finally {
      await service.close();
    }
  },
};

const RESULT = /^(PASSED|FAILED|ERROR|XPASS) tests\/compatibility\/(\S+)/gm;

/** The kit skips tests that need another transport, or a capability that the card doesn't name. */
function readResults(output: string): readonly CheckResult[] {
  return [...output.matchAll(RESULT)].map(([, word = '', name = '']) => ({
    name,
    passed: word === 'PASSED' || word === 'XPASS',
  }));
}

function write(text: string): void {
  process.stdout.write(text);
}
