import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { createFolder, startSvc } from '../bin/run-svc.ts';
import { freePort } from '../support/servers/ports.ts';

/* The commands of docs/get-started/tour.md, run in a shell. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = createFolder();
test.after.always(() => folder.remove());

test('the commands of the tour work', async (t) => {
  const port = await freePort();
  const runtime = startSvc(['dev', '--port', String(port)], { cwd: folder.path });
  t.teardown(() => runtime.stop());
  await runtime.waitFor(/is running at/);
  const blocks = readTour().map((block) => block.replaceAll('7700', String(port)));
  t.is(blocks.length, 4);
  // A reader needs longer for a paragraph than the runtime for the next step.
  const untilPaused = 'until svc execution show $id | grep -q paused; do :; done';
  blocks.splice(3, 0, untilPaused);
  const output = await runInShell(blocks.join('\n'), { SVC_URL: `http://127.0.0.1:${port}` });
  t.regex(output, /"workflow_id":"refund","version":"1\.0\.0","revision":1/);
  t.regex(output, /waiting on +lookup \(work\)/);
  t.regex(output, /\{"completed":true,"work_item_id":"[^"]+"\}/);
  t.regex(output, /approved review/);
  t.regex(output, /"total": 250/);
  t.regex(output, /ApprovalReceived +review/);
});

function readTour(): string[] {
  const text = readFileSync(`${ROOT}/docs/get-started/tour.md`, 'utf8');
  return [...text.matchAll(/^```sh tour\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
}

function runInShell(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  return new Promise((resolve, reject) => {
    execFile(
      'sh',
      ['-eu', '-c', script],
      { cwd: ROOT, env: { PATH: path, ...env }, timeout: 60_000 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`the tour failed: ${stderr}\n${stdout}`, { cause: error }));
      },
    );
  });
}
