import { fileURLToPath } from 'node:url';

import { judge, type CheckResult } from '../judge.ts';
import type { Leg, LegTotals } from '../leg.ts';
import { openService } from '../open-service.ts';
import { installPython, runTool } from '../tools.ts';

const RUN_MS_MAX = 120_000;
const PACKAGES = ['a2a-sdk==1.3.0', 'mcp==2.3.0'];

/** The official Python SDKs of both protocols as clients of the service. */
export const pythonSdks: Leg = {
  name: 'python-sdks',
  async run(): Promise<LegTotals> {
    const python = await installPython({ name: 'sdks', packages: PACKAGES });
    const service = await openService({ open: false });
    try {
      const results: CheckResult[] = [];
      for (const [script, url] of [
        ['a2a-client', `${service.url}/a2a/agent`],
        ['mcp-client', service.url],
      ] as const) {
        const path = fileURLToPath(new URL(`${script}.py`, import.meta.url));
        const { output } = await runTool({
          command: python,
          args: [path, url, service.token ?? ''],
          env: { PYTHONDONTWRITEBYTECODE: '1' },
          timeoutMs: RUN_MS_MAX,
        });
        const found = readResults(output, script);
        if (found.some(({ passed }) => !passed) || found.length === 0) write(output);
        if (found.length === 0) throw new Error(`${script}.py has checked nothing`);
        results.push(...found);
      }
      return judge({ results, expected: {}, write });
    } finally {
      await service.close();
    }
  },
};

const RESULT = /^(PASSED|FAILED) (.+)$/gm;

function readResults(output: string, script: string): readonly CheckResult[] {
  return [...output.matchAll(RESULT)].map(([, word = '', name = '']) => ({
    name: `${script}: ${name}`,
    passed: word === 'PASSED',
  }));
}

function write(text: string): void {
  process.stdout.write(text);
}
