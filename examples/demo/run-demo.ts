import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { createProcesses } from './processes.ts';
import { printBlow, printNote, printOutput } from './screen.ts';
import { openShop } from './shop.ts';
import { tellStory } from './tell-story.ts';

/*
 * The demo as a program: `run-demo.ts [--port <port>] [--seconds <limit>]`.
 *
 * Exit code 0 says that everything it claims was checked against the records of the API; 1: a claim
 * does not hold, or something failed; 130, 143: it was interrupted. In every case the processes that
 * it started are stopped before it ends. Its folder stays, to look around in.
 */

const SECONDS_MAX = 120;

const { values } = parseArgs({
  options: { port: { type: 'string' }, seconds: { type: 'string' } },
});
const port = values.port === undefined ? null : Number(values.port);
const seconds = Number(values.seconds ?? SECONDS_MAX);
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const ending = Promise.withResolvers<never>();
const processes = createProcesses({
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  logFolder: folder,
  onUnexpectedEnd: ending.reject,
});
let exitCode = 1;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  // A second one changes nothing: the end is near, and would leave processes behind.
  process.on(signal, () => {
    exitCode = code;
    ending.reject(new Error('interrupted'));
  });
}
// Such as a pager that was left: there is nobody to tell the story to.
process.stdout.on('error', ending.reject);
const timer = setTimeout(
  () => ending.reject(new Error(`not finished within ${seconds} s`)),
  seconds * 1000,
);
const shop = await openShop();
let failure: unknown = null;
try {
  const holds = await Promise.race([tellStory({ processes, shop, folder, port }), ending.promise]);
  if (holds) exitCode = 0;
  else failure = new Error('a claim does not hold');
} catch (error) {
  failure = error;
}
clearTimeout(timer);
shop.close();
await processes.stopAll();
// Last, since the story may have printed another line or two.
if (failure !== null) reportFailure(failure);
process.exit(exitCode);

function reportFailure(error: unknown): void {
  if (exitCode !== 1) {
    printBlow('Interrupted: everything that was started is stopped.');
    return;
  }
  printBlow(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  const tail = processes.tail('runtime');
  if (tail !== '') {
    printNote(`The end of the runtime's log, ${join(folder, 'runtime.log')}:`);
    printOutput(tail);
  }
}
