import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import test from 'ava';

import { createFolder, runProgram, runSvc, startSvc } from '../bin/run-svc.ts';
import { startEmbeddingProvider } from '../support/servers/embedding-provider.ts';
import { freePort } from '../support/servers/ports.ts';

/* The commands and the workflow of docs/guides/memory.md, on `svc dev` and a provider on loopback. */

const PAGE = readFileSync(new URL('../../docs/guides/memory.md', import.meta.url), 'utf8');
const folder = createFolder();
test.after.always(() => folder.remove());

test('the commands and the workflow of the memory guide work', async (t) => {
  const provider = await startEmbeddingProvider();
  t.teardown(() => provider.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const runtime = startSvc(['dev', '--port', String(port)], {
    cwd: folder.path,
    env: { SVC_MEMORY_EMBEDDING_BASE_URL: provider.url },
  });
  t.teardown(() => runtime.stop());
  await runtime.waitFor(/is running at/);
  const [define = '', facts = '', forget = '', ...more] = blocksOf('sh memory');
  t.deepEqual(more, []);
  const env = { SVC_URL: url, OPENAI_API_KEY: 'sk-of-the-guide', PATH: pathOf() };
  const shell = (script: string) =>
    runProgram('sh', ['-eu', '-c', script], { cwd: folder.path, env });

  const saved = await shell(define + facts);
  t.is(saved.code, 0, saved.stderr);
  t.regex(saved.stdout, /"enabled":true,"configured":true/);
  t.regex(saved.stdout, /"facts":\[\{[^\n]*"content":"Ada likes green tea"/);
  t.is(provider.timesOf('sk-of-the-guide') > 0, true);

  const [workflow = ''] = blocksOf('json');
  const registered = await runSvc(['workflow', 'register', '-'], {
    cwd: folder.path,
    env,
    input: workflow,
  });
  t.is(registered.code, 0, registered.stderr);
  const input = JSON.stringify({ question: 'What does Ada drink?', customer: 'ada' });
  const start = ['execution', 'start', 'greet-customer', '--input', input, '--wait'];
  const ran = await runSvc(start, { cwd: folder.path, env });
  t.regex(ran.stdout, /"content": "Ada likes green tea"/);

  const forgotten = await shell(define + forget);
  t.regex(forgotten.stdout, /^\{"count":1\}$/m);
  t.regex(forgotten.stdout, /"count":2,.*"live":1/);
});

function blocksOf(kind: string): readonly string[] {
  const fences = PAGE.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...fences].map(([, block]) => block ?? '');
}

/** `node` of the commands is the one of this test. */
function pathOf(): string {
  return `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
}
