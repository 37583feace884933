import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

import { createFolder } from '../bin/run-svc.ts';
import { freePort } from '../support/servers/ports.ts';
import { watchProcess, type WatchedProcess } from './watch-process.ts';

/* The demo as a process. Tests run one at a time, because each starts a runtime and two workers. */

const DEMO = fileURLToPath(new URL('../../examples/demo/run-demo.ts', import.meta.url));
const folder = createFolder();
test.after.always(() => folder.remove());

test.serial(
  'an order outlives both crashes, every claim is borne out, and nothing is left running',
  async (t) => {
    const demo = await startDemo(t);
    t.deepEqual(await demo.ended, { code: 0, signal: null });
    const output = demo.output();
    for (const line of [
      /✗ kill -9 \d+: the runtime is gone, 7 events are on disk/,
      /✗ kill -9 \d+: the worker is gone/,
      / 1 {2}WorkflowStarted/,
      /ApprovalReceived +review +approved by reviewer/,
      /RetryScheduled +dispatch/,
      /WorkflowCompleted/,
      /✓ the order is completed, with \d+ events numbered without a gap/,
      /✓ all 7 events recorded before the kill still exist, unchanged/,
      /✓ inventory\.reserve, .*: 1 call, one key/,
      /✓ payment\.authorize, .*: 1 call, one key/,
      /✓ shipping\.dispatch, .*: \d calls, one key/,
      /✓ the timer of 2 s fired after 2\.\d+ s/,
      /svc\.js execution show exec_[0-9a-f]{32}/,
    ]) {
      t.regex(output, line);
    }
    t.false(output.includes('\u001b'), 'no colours without a terminal');
    t.is(demo.pids().length, 4, 'the runtime twice, two workers');
    t.deepEqual(demo.pids().filter(isAlive), []);
  },
);

test.serial('interrupted, it stops what it started and says so by its exit code', async (t) => {
  const demo = await startDemo(t);
  await demo.waitFor(/NodeCompleted +reserve/);
  demo.process.kill('SIGINT');
  t.deepEqual(await demo.ended, { code: 130, signal: null });
  t.regex(demo.output(), /Interrupted: everything that was started is stopped\.\n$/);
  t.deepEqual(demo.pids().filter(isAlive), []);
});

test.serial('out of time, it says so, shows the end of the runtime’s log, and fails', async (t) => {
  const demo = await startDemo(t, ['--seconds', '0.2']);
  t.deepEqual(await demo.ended, { code: 1, signal: null });
  t.regex(demo.output(), /The demo failed: not finished within 0\.2 s/);
  t.deepEqual(demo.pids().filter(isAlive), []);
});

test.serial('a runtime that dies on its own ends the demo with the end of its log', async (t) => {
  const demo = await startDemo(t);
  await demo.waitFor(/TimerStarted +cool_off/);
  const [, , runtime] = demo.pids();
  process.kill(runtime ?? 0, 'SIGKILL');
  t.deepEqual(await demo.ended, { code: 1, signal: null });
  t.regex(demo.output(), /The demo failed: the runtime ended too early \(SIGKILL\)/);
  t.regex(demo.output(), /│ .*is running at/, 'the end of the log');
  t.deepEqual(demo.pids().filter(isAlive), []);
});

test.serial('a port that is taken is named, and the other process left alone', async (t) => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const demo = await startDemo(t, ['--port', String(port)]);
  t.deepEqual(await demo.ended, { code: 1, signal: null });
  t.regex(demo.output(), new RegExp(`The demo failed: port ${port} is taken`));
});

interface Demo extends WatchedProcess {
  /** The pids of the processes whose start it has reported. */
  pids(): number[];
}

async function startDemo(t: ExecutionContext, options: readonly string[] = []): Promise<Demo> {
  const port = options.includes('--port') ? [] : ['--port', String(await freePort())];
  const demo = watchProcess([DEMO, ...port, ...options], { TMPDIR: folder.path });
  t.teardown(() => demo.process.kill('SIGTERM'));
  return {
    ...demo,
    pids: () => [...demo.output().matchAll(/as process (\d+)/g)].map(([, pid]) => Number(pid)),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
