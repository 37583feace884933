"""The program of Node that `ClockRuntime` starts.

It serves the test runtime of svc-runtime on a loopback port. Each line of its input is a request
`{id, do, ms?}`, and each line of its output an answer `{id, now, error?}`. It ends with its input.
"""

PROGRAM = """
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { root, port, startAt, settings } = JSON.parse(process.argv[1]);
const path = createRequire(`${root}/package.json`).resolve('svc-runtime/testing');
const { openTestRuntime } = await import(pathToFileURL(path).href);
const runtime = await openTestRuntime({
  settings,
  ...(startAt !== null && { startAt: new Date(startAt) }),
});
const server = createServer(runtime.handler);
await new Promise((listening) => server.listen(port, '127.0.0.1', listening));
answer({ id: 0 });

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  // Not one after the other: code that works while the clock moves asks for the time.
  void act(request).then(
    () => answer({ id: request.id }),
    (error) => answer({ id: request.id, error: String(error) }),
  );
}
server.close();
server.closeAllConnections();
await runtime.stop({ deadlineMs: 2_000 });
process.exit(0);

async function act(request) {
  if (request.do === 'advance') await runtime.advance(request.ms);
  if (request.do === 'settle') await runtime.settle();
}

function answer(members) {
  process.stdout.write(`${JSON.stringify({ ...members, now: runtime.now().getTime() })}\n`);
}
"""
