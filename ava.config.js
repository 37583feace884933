import { COSTS_FILE } from './test/support/gate/costs.ts';
import { LEFT_OUT } from './test/support/gate/gate-only.ts';
import { writeTotals } from './test/support/gate/totals.ts';

// The only way to the counts as numbers. ava is pinned to one version, as its experiments may change.
const countsForGate = {
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun: writeTotals,
};

const leftOut = (process.env[LEFT_OUT] ?? '').split('\n').filter(Boolean);

export default {
  files: ['test/**/*.test.ts', ...leftOut.map((pattern) => `!${pattern}`)],
  // Node strips the types itself.
  extensions: ['ts'],
  // The SDK is tested from its sources.
  nodeArguments: ['--conditions=svc-source'],
  // Processes, so that a test may set environment variables and receive signals.
  workerThreads: false,
  concurrency: 3,
  // The longest wait without any news from any test.
  timeout: '2m',
  require: [
    './test/support/gate/load-quickly.ts',
    ...(process.env[COSTS_FILE] ? ['./test/support/gate/record-cost.ts'] : []),
  ],
  ...(process.env.TEST_TOTALS_FILE ? countsForGate : {}),
};
