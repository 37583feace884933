import type { ServerResponse } from 'node:http';
import test from 'ava';

import { startHttpServer } from '../support/servers/http-server.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

const COMPLETED = { sequence: 1, kind: 'WorkflowCompleted', node_id: null, payload: {} };
const RESULT = { execution_id: 'exec_1', status: 'completed', output: { n: 1 }, error: null };

test('a command ends with its execution, also while it asks what the execution waits for', async (t) => {
  let events: ServerResponse | null = null;
  // It never answers `explain`, and the execution ends when the command has asked.
  const server = await startHttpServer(({ url }, response) => {
    if (url === '/executions/exec_1/events') {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' });
      events.flushHeaders();
    } else if (url === '/executions/exec_1/explain') {
      events?.end(`id: 1\ndata: ${JSON.stringify(COMPLETED)}\n\n`);
    } else {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(RESULT));
    }
  });
  t.teardown(() => server.close());
  const args = ['execution', 'result', 'exec_1', '--wait', '--url', server.url];
  const { code, stdout, stderr } = await runSvc(args, { cwd: folder.path });
  t.is(code, 0, stderr);
  t.deepEqual(JSON.parse(stdout), { n: 1 });
  t.true(server.requests.some(({ url }) => url?.endsWith('/explain')));
});
