import { fileURLToPath } from 'node:url';
import test from 'ava';

import { CASE_FILE, selectCases } from '../../../../bin/commands/worker-check/case-file.ts';
import { ALWAYS } from '../../../../bin/commands/worker-check/judge-always.ts';
import { runCase } from '../../../../bin/commands/worker-check/run-case.ts';

/*
 * A worker with one mistake at a time fails the case that has the rule, for a reason that names the
 * rule. `conforming-workers.test.ts` has workers that pass every case.
 */

const WORKER = fileURLToPath(new URL('support/mistaken-worker.ts', import.meta.url));
/** Longer than any case takes, and short for those that never come to their end. */
const TIMEOUT_MS = 9_000;

const MISTAKES: readonly {
  readonly mistake: string;
  readonly fails: string;
  readonly because: RegExp;
  /** The rule of all cases that it breaks. */
  readonly breaks?: string;
}[] = [
  {
    mistake: 'wrong-output',
    fails: 'completes-an-item',
    because: /output is \{\}/,
  },
  {
    mistake: 'no-key-for-tools',
    fails: 'passes-the-key-to-the-tool',
    because: /output is .*"idempotency_key":null/,
  },
  {
    mistake: 'one-item-only',
    fails: 'works-on-one-item-after-another',
    because: /waits for the end of a, b, c, d/,
  },
  {
    mistake: 'needs-interval',
    fails: 'reads-the-members-of-the-contract-alone',
    because: /heartbeat of a: expected at most 4/,
  },
  {
    mistake: 'always-sends-keys',
    fails: 'does-without-a-key',
    because: /idempotency_key is "", and the claim says none/,
    breaks: 'echoes-the-key',
  },
  {
    mistake: 'strict',
    fails: 'ignores-unknown-members',
    because: /ended with code 1/,
    breaks: 'keeps-running',
  },
  {
    mistake: 'ascii-only',
    fails: 'keeps-every-character',
    because: /complete of a: output is/,
  },
  {
    mistake: 'short-texts',
    fails: 'takes-a-large-input',
    because: /complete of a: output is/,
  },
  {
    mistake: 'completes-failures',
    fails: 'hands-in-a-failure',
    because: /fail of a: expected 1, found 0/,
  },
  {
    mistake: 'completes-unknown-tools',
    fails: 'leaves-unknown-tools',
    because: /complete of a: expected 0/,
  },
  {
    mistake: 'no-pause-between-claims',
    fails: 'works-with-four-calls',
    because: /claim: expected at most 60/,
  },
  {
    mistake: 'calls-again',
    fails: 'repeats-a-lost-complete',
    because: /the tool was called twice/,
    breaks: 'repeats-the-same-result',
  },
  {
    mistake: 'never-repeats',
    fails: 'repeats-a-lost-fail',
    because: /fail of a: expected 2, found 1/,
  },
  {
    mistake: 'ends-without-answer',
    fails: 'survives-a-lost-claim',
    because: /ended with code 7/,
  },
  {
    mistake: 'new-claim-ids',
    fails: 'repeats-a-lost-claim',
    because: /claim of a: expected 2, found 1/,
  },
  {
    mistake: 'never-repeats',
    fails: 'repeats-a-lost-request',
    because: /complete of a: expected 3, found 1/,
  },
  {
    mistake: 'repeats-conflicts',
    fails: 'stops-after-409-to-complete',
    because: /complete of a follows the answer 409 to complete/,
    breaks: 'nothing-after-the-end',
  },
  {
    mistake: 'fails-after-404',
    fails: 'stops-after-404-to-complete',
    because: /fail of a follows the answer 404 to complete/,
  },
  {
    mistake: 'repeats-conflicts',
    fails: 'stops-after-409-to-fail',
    because: /fail of a: expected 1/,
  },
  {
    mistake: 'ignores-lost-leases',
    fails: 'abandons-after-409-to-heartbeat',
    because: /complete or fail or release of a: expected 0/,
  },
  {
    mistake: 'heartbeats-after-loss',
    fails: 'abandons-after-404-to-heartbeat',
    because: /heartbeat of a answered 404: expected 1 to 2/,
  },
  {
    mistake: 'remembers-items',
    fails: 'works-under-the-new-lease',
    because: /waits for the end of a/,
  },
  {
    mistake: 'leaves-refused-outputs',
    fails: 'fails-what-cannot-be-recorded',
    because: /fail of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'no-heartbeats',
    fails: 'repeats-complete-while-the-outcome-is-unknown',
    because: /heartbeat of a: expected at least 1, found 0/,
  },
  {
    mistake: 'hammers',
    fails: 'repeats-fail-while-the-outcome-is-unknown',
    because: /ms between them, expected at least 100 ms/,
  },
  {
    mistake: 'hammers',
    fails: 'waits-before-it-claims-again',
    because: /claim answered 503: expected 1 to 24/,
  },
  {
    mistake: 'ignores-retry-after',
    fails: 'heeds-retry-after',
    because: /claim after claim answered 503/,
  },
  {
    mistake: 'trusts-200',
    fails: 'survives-answers-that-are-no-json',
    because: /complete of a: expected 2, found 1/,
  },
  {
    mistake: 'hammers-when-refused',
    fails: 'does-not-hammer-after-401',
    because: /claim: expected 1 to 12/,
  },
  {
    mistake: 'hammers-when-refused',
    fails: 'does-not-hammer-after-403',
    because: /claim: expected 1 to 12/,
  },
  {
    mistake: 'no-heartbeats',
    fails: 'renews-a-lease',
    because: /the lease of a ended, as no heartbeat came in time/,
    breaks: 'keeps-its-leases',
  },
  {
    mistake: 'needs-answers',
    fails: 'survives-heartbeats-without-answers',
    because: /complete of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'impatient',
    fails: 'survives-slow-heartbeats',
    because: /complete of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'ends-with-143',
    fails: 'stops-while-it-waits',
    because: /had to end with code 0, and ended with code 143/,
  },
  {
    mistake: 'drops-its-work',
    fails: 'finishes-what-is-under-way',
    because: /complete of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'claims-as-it-stops',
    fails: 'leases-nothing-as-it-stops',
    because: /claim of l: expected 0, found 1/,
  },
  {
    mistake: 'ignores-sigterm',
    fails: 'gives-back-a-claim-that-it-leaves',
    because: /had to end within 10000 ms, and still runs/,
  },
  {
    mistake: 'leaves-claims',
    fails: 'gives-back-a-claim-that-it-leaves',
    because: /release of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'claims-all-tools',
    fails: 'claims-its-tools-alone',
    because: /claim of a: expected 0/,
  },
  {
    mistake: 'no-class',
    fails: 'names-the-class-of-an-error',
    because: /error_class is absent, expected "\$text"/,
  },
  {
    mistake: 'no-retry-after',
    fails: 'says-when-to-try-again',
    because: /retry_after_ms is absent/,
  },
  {
    mistake: 'no-trace',
    fails: 'passes-the-trace-context',
    because: /output is \{"traceparent":null\}/,
  },
  {
    mistake: 'no-labels',
    fails: 'sends-the-labels-of-a-tool',
    because: /labels is absent/,
  },
  {
    mistake: 'never-interrupts',
    fails: 'interrupts-abandoned-work',
    because: /output is \{"cancelled":0\}/,
  },
  {
    mistake: 'waits-forever',
    fails: 'gives-back-what-does-not-end',
    because: /waits for the end of the worker/,
  },
  {
    mistake: 'first-of-several',
    fails: 'works-on-several-items-of-a-claim',
    because: /waits for the end of a, b, c, d/,
  },
  {
    mistake: 'never-repeats',
    fails: 'reads-each-result-of-a-request',
    because: /complete of b: expected 2, found 1/,
  },
  {
    mistake: 'no-entries',
    fails: 'runs-a-durable-function',
    because: /none of these holds: steps of a/,
  },
  {
    mistake: 'runs-steps-again',
    fails: 'replays-a-journal',
    because: /complete of a: output is/,
  },
  {
    mistake: 'keeps-refused-entries',
    fails: 'leaves-out-refused-entries',
    because: /fail of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'ignores-cancel',
    fails: 'ends-a-cancelled-function',
    because: /fail or release of a answered 200: expected 1, found 0/,
  },
  {
    mistake: 'never-repeats',
    fails: 'repeats-a-lost-end-of-a-function',
    because: /complete of a: expected 2, found 1/,
  },
  {
    mistake: 'no-token',
    fails: 'completes-an-item',
    because: /does not carry the token of SVC_TOKEN/,
    breaks: 'requests-are-well-formed',
  },
  {
    mistake: 'changes-its-name',
    fails: 'completes-an-item',
    because: /worker_id must be one text/,
    breaks: 'one-worker-id',
  },
  {
    mistake: 'rounds-fences',
    fails: 'completes-an-item',
    because: /lease_fence is 9007199254740992, and the claim says/,
    breaks: 'echoes-the-fence',
  },
  {
    mistake: 'no-keys',
    fails: 'completes-an-item',
    because: /idempotency_key is absent, and the claim says [0-9a-f]{64}/,
  },
];

/** Most of the time a case waits. */
const LANES = 4;
let free = LANES;
const waiting: (() => void)[] = [];

async function play(name: string, mistake: string) {
  const [of] = selectCases([name]);
  if (of === undefined) throw new Error(`there is no case ${name}`);
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free -= 1;
  try {
    return await runCase(of, {
      command: [process.execPath, WORKER, mistake],
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    });
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}

for (const { mistake, fails, because } of MISTAKES) {
  test(`${fails}: the mistake ${mistake} is found`, async (t) => {
    t.timeout(120_000);
    const { problems, output } = await play(fails, mistake);
    t.regex(problems.join('\n'), because, output);
  });
}

test('each case and each rule of all cases has a mistake', (t) => {
  const found = new Set(MISTAKES.map(({ fails }) => fails));
  t.deepEqual(
    CASE_FILE.cases.map(({ name }) => name).filter((name) => !found.has(name)),
    [],
  );
  const broken = MISTAKES.flatMap(({ breaks }) => breaks ?? []).toSorted();
  t.deepEqual(broken, CASE_FILE.always.map(({ name }) => name).toSorted());
  t.deepEqual(Object.keys(ALWAYS).toSorted(), broken);
});
