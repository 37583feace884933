import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

const PROGRAM = fileURLToPath(new URL('sweep-until-killed.ts', import.meta.url));
const EXECUTIONS = 150;
const WORKFLOW = { tenantId: TENANT, actorId: 'token:ops', workflowId: 'checkout' };
const WORKER = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: killed while it holds or gives back, the next continues, and each is held once`, async (t) => {
    t.timeout(180_000);
    const { store, url, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = openTestEngine({ store });
    const { engine } = svc;
    const ir = { workflow_id: 'checkout', nodes: { a: WORKER } };
    await engine.registerWorkflow({ ...WORKFLOW, ir });
    const made: ExecutionId[] = [];
    for (let index = 0; index < EXECUTIONS; index += 1) {
      const { executionId } = await engine.startExecution({
        ...WORKFLOW,
        workflowVersion: null,
        input: {},
        priority: 5,
        idempotencyKey: null,
      });
      made.push(executionId);
    }
    const heldNow = async () => {
      const pauses = await engine.readWorkflowPauses({ ...WORKFLOW, workflowIds: ['checkout'] });
      return pauses.get('checkout')?.held ?? null;
    };

    await engine.pauseWorkflow({ ...WORKFLOW, reason: null });
    await runUntilKilled([url, 'committed', '1']);
    const first = (await heldNow()) ?? 0;
    t.true(first > 0 && first < EXECUTIONS, `${first} are held`);
    await runUntilKilled([url, 'committing', '1']);
    await svc.settle();
    t.is(await heldNow(), EXECUTIONS);
    t.deepEqual(await svc.claim(), []);

    await engine.resumeWorkflow(WORKFLOW);
    await runUntilKilled([url, 'committed', '1']);
    const rest = (await heldNow()) ?? 0;
    t.true(rest > 0 && rest < EXECUTIONS, `${rest} are held`);
    await runUntilKilled([url, 'committing', '1']);
    await svc.settle();
    t.is(await heldNow(), null);
    const story = ['WorkflowStarted', 'NodeScheduled a', 'ExecutionPaused', 'ExecutionResumed'];
    for (const id of made) t.deepEqual(await svc.story(id), story);
    let claimed = 0;
    for (let found = -1; found !== 0; claimed += found) {
      found = (await svc.claim('w', 100)).length;
    }
    t.is(claimed, EXECUTIONS);
    t.deepEqual(svc.troubles, []);
  });
}

async function runUntilKilled(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`it was not killed at ${args.join(' ')}: ${code}`);
}
