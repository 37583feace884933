import { spawnSync } from 'node:child_process';
import test from 'ava';

import { CASE_FILE } from '../../../../bin/commands/worker-check/case-file.ts';
import { runCases } from '../../../../bin/commands/worker-check/run-cases.ts';
import { splitCommand } from '../../../../bin/commands/worker-check/split-command.ts';
import { createFolder } from '../../run-svc.ts';
import { prepareExamples } from './support/example-workers.ts';

/*
 * The TypeScript SDK and the examples keep every rule that the check has. Their pages say so. The test
 * of the Python SDK does the same with that. Without its interpreter, a worker is left out.
 */

const folder = createFolder();
test.after.always(() => folder.remove());

const CONTEXT = ['tool:check.trace', 'tool:check.labels'];
const ERRORS = ['tool:check.fatal', 'tool:check.retry_after'];
const INTERRUPTS = ['tool:check.cancel', 'tool:check.never'];
const BATCHES = ['claim_id', 'max_items'];
const FUNCTIONS = ['tool:check.steps', 'tool:check.rides', 'tool:check.steps_cancel'];

/** Each worker lacks these, so the cases that need them do not apply. */
const LACKS: Readonly<Record<string, readonly string[]>> = {
  'the TypeScript SDK': [],
  'the worker in Node': [...BATCHES, ...ERRORS, ...CONTEXT, ...FUNCTIONS, 'tool:check.never'],
  'the worker in TypeScript': [...BATCHES, ...ERRORS, ...CONTEXT, ...INTERRUPTS, ...FUNCTIONS],
  'the worker in Python': [...BATCHES, ...ERRORS, ...CONTEXT, ...INTERRUPTS, ...FUNCTIONS],
  'the worker in Bash': [...BATCHES, ...ERRORS, ...CONTEXT, ...INTERRUPTS, ...FUNCTIONS],
};

for (const { name, command, needs } of prepareExamples(folder.path)) {
  if (!needs.every(([program, ...args]) => spawnSync(program, args).status === 0)) continue;
  test(`${name} keeps every rule of the protocol`, async (t) => {
    t.timeout(120_000);
    const [first] = CASE_FILE.cases;
    if (first === undefined) throw new Error('there are no cases');
    const results = await runCases(CASE_FILE.cases, {
      first,
      command: splitCommand(command),
      // All workers are checked side by side.
      concurrency: 2,
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      onResult: () => undefined,
    });
    const lacks = new Set<string>();
    for (const result of results) {
      if (result.outcome === 'not_applicable') result.lacks.forEach((need) => lacks.add(need));
      else t.deepEqual(result.problems, [], `${result.of.name}: ${result.output}`);
    }
    t.is(results.length, CASE_FILE.cases.length);
    t.deepEqual([...lacks].toSorted(), (LACKS[name] ?? []).toSorted());
  });
}
