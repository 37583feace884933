import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import test from 'ava';

import { createFolder, runSvc } from './run-svc.ts';

/* Commands against a server that is no runtime. Each ends with one line that says so. */

const folder = createFolder();
const cwd = folder.path;
writeFileSync(join(cwd, 'w.json'), '{"workflow_id":"w","nodes":{"a":{"kind":{"type":"pass"}}}}');

const ANSWERS: Readonly<Record<string, readonly [status: number, type: string, body: string]>> = {
  page: [200, 'text/html', '<html>hello</html>'],
  object: [200, 'application/json', '{"hello":1}'],
  list: [200, 'application/json', '[]'],
  null: [200, 'application/json', 'null'],
  'missing-page': [404, 'text/html', 'nothing'],
  'missing-json': [404, 'application/json', '{"status":404,"error":"Not Found"}'],
  forbidden: [403, 'text/plain', 'no'],
};
const http = createHttpServer((request, response) => {
  const [, name = ''] = (request.url ?? '').split('/');
  const [status, type, body] = ANSWERS[name] ?? [500, 'text/plain', 'no such case'];
  request.resume();
  response.writeHead(status, { 'content-type': type }).end(body);
});
const shell = createServer((socket) => {
  socket.on('error', () => undefined).end('SSH-2.0-OpenSSH\r\n');
});
const url = await listen(http);
const shellUrl = await listen(shell);
test.after.always(async () => {
  http.close();
  shell.close();
  await folder.remove();
});

const COMMANDS = [
  'workflow register w.json',
  'workflow list',
  'execution start w',
  'execution start w --wait',
  'execution list',
  'execution show x',
  'execution explain x',
  'execution result x',
  'execution events x',
  'execution events x --follow',
  'execution approve x',
  'execution export x',
  'work-item list',
] as const;

for (const name of Object.keys(ANSWERS)) {
  test.serial(`a server that answers with ${name} is not taken for a runtime`, async (t) => {
    const outcomes = await Promise.all(
      COMMANDS.map((command) =>
        runSvc([...command.split(' '), '--url', `${url}/${name}`], { cwd }),
      ),
    );
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      t.is(code, 1, COMMANDS[index]);
      t.is(stdout, '', COMMANDS[index]);
      t.regex(
        stderr,
        /^error: what answers at http:\S+ is not an svc runtime: it gave .+; check --url or SVC_URL\n$/,
        COMMANDS[index],
      );
    }
  });
}

test.serial('a server without HTTP is one line', async (t) => {
  const { code, stderr } = await runSvc(['execution', 'list', '--url', shellUrl], { cwd });
  t.is(code, 1);
  t.regex(stderr, /^error: no answer from http:\S+: .+; check --url or SVC_URL\n$/);
});

test.serial('plain HTTP asked for TLS is one line', async (t) => {
  const address = url.replace('http:', 'https:');
  const { code, stderr } = await runSvc(['execution', 'list', '--url', address], { cwd });
  t.is(code, 1);
  t.regex(
    stderr,
    /^error: no answer from https:\S+: no TLS is spoken there; check the port, or use http:[^\n]+\n$/,
  );
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
