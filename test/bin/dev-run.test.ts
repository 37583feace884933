import test from 'ava';

import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, startSvc } from './run-svc.ts';

/* Commands that `svc dev --run` runs beside the runtime. */

const folder = createFolder();
test.after.always(() => folder.remove());

test.serial(
  'dev --run: runs commands with SVC_URL once svc is ready, and ends them with it',
  async (t) => {
    const port = await freePort();
    // A child process of the shell, like that of a watcher: it must end with the command.
    const worker = 'sleep 600 & echo "worker $! calls $SVC_URL"; wait';
    const dev = startSvc(['dev', '--port', String(port), '--run', worker, '--run', 'exit 3'], {
      cwd: folder.path,
    });
    await dev.waitFor(/worker \d+ calls/);
    await dev.waitFor(/"exit 3" ended with 3; svc keeps running/);
    t.regex(dev.output(), new RegExp(`calls http://127\\.0\\.0\\.1:${port}`));
    const pid = Number(/worker (\d+) calls/.exec(dev.output())?.[1]);
    t.true(isRunning(pid));
    t.deepEqual(await dev.stop(), { code: 0, signal: null });
    await eventually(() => {
      if (isRunning(pid)) throw new Error('the worker is still running');
    });
    t.notRegex(dev.output(), /"sleep.*keeps running/);
  },
);

test.serial(
  'dev --run: asked to stop as soon as its port is open, it ends without running a command',
  async (t) => {
    const port = await freePort();
    const dev = startSvc(['dev', '--port', String(port), '--run', 'echo it ran'], {
      cwd: folder.path,
      env: {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(STOP_ON_LISTENING)}`,
      },
    });
    t.deepEqual(await dev.ended, { code: 0, signal: null });
    t.regex(dev.output(), new RegExp(`listening on http://127\\.0\\.0\\.1:${port}`));
    t.notRegex(dev.output(), /is running at|it ran/);
  },
);

/** As a signal that arrives in that moment. */
const STOP_ON_LISTENING = `
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    this.once('listening', () => process.emit('SIGTERM'));
    return listen.apply(this, args);
  };
`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
