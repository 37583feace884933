import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import { writeArchive } from '../../src/shared/clients/archive/write-archive.ts';
import type { ExecutionDocument } from '../../src/shared/domain/execution/document/execution-document.ts';
import { eventually } from '../support/eventually.ts';
import { makeExport } from '../support/imports.ts';
import { freePort } from '../support/servers/ports.ts';
import {
  createFolder,
  runProgram,
  runSvc,
  startSvc,
  type Outcome,
  type RunningSvc,
} from './run-svc.ts';

/* One `svc dev`, and the client commands against it, as in the first hour of a new user. */

const folder = createFolder();
const cwd = folder.path;
let url = '';
let dev: RunningSvc;

const WORKFLOWS = {
  greet: {
    nodes: { start: { kind: { type: 'pass', output: { greeting: 'hello' } }, output_key: 'made' } },
  },
  tool: { nodes: { start: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } } } },
  batch: { nodes: { only: { kind: { type: 'pass' } } } },
  many: { nodes: { start: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } } } },
  found: { nodes: { start: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } } } },
  letter: {
    nodes: { start: { kind: { type: 'java_fn', class_name: 'shop.Shop', method: 'reserve' } } },
  },
  gate: {
    nodes: {
      ask: { kind: { type: 'human_approval', description: 'Ship it?' } },
      ship: { kind: { type: 'pass' } },
    },
    edges: [{ from: 'ask', to: 'ship' }],
  },
  pay: {
    policy: { require_approval_for: ['bank.*'] },
    nodes: { a: { kind: { type: 'python_fn', module: 'bank', function: 'pay' } } },
  },
  switched: {
    nodes: {
      hold: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'arrived' } },
    },
  },
  parcel: {
    nodes: {
      hold: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'arrived' } },
    },
  },
} as const;

test.before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  dev = startSvc(['dev', '--port', String(port)], { cwd });
  await dev.waitFor(/is running at/);
  for (const [workflowId, workflow] of Object.entries(WORKFLOWS)) {
    writeFileSync(
      join(cwd, `${workflowId}.json`),
      JSON.stringify({ workflow_id: workflowId, edges: [], ...workflow }),
    );
    const { code, stderr } = await svc('workflow', 'register', `${workflowId}.json`);
    if (code !== 0) throw new Error(stderr);
  }
});

test.after.always(async () => {
  await dev.stop();
  await folder.remove();
});

function svc(...args: string[]): Promise<Outcome> {
  return runSvc(args, { cwd, env: { SVC_URL: url } });
}

async function start(workflowId: string, ...options: string[]): Promise<string> {
  const { stdout, stderr } = await svc('execution', 'start', workflowId, ...options);
  const id = stdout.trim();
  if (!/^exec_[0-9a-f]{32}$/.test(id)) throw new Error(`no execution id: ${stdout}${stderr}`);
  return id;
}

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly waiting_on: readonly { readonly waiting_for: string }[];
}

async function readUntil(
  id: string,
  isWanted: (execution: Execution) => boolean,
): Promise<Execution> {
  return eventually(async () => {
    const response = await fetch(`${url}/executions/${id}`);
    const execution = (await response.json()) as Execution;
    if (isWanted(execution)) return execution;
    throw new Error(`still ${JSON.stringify(execution)}`);
  });
}

test('dev tells its URL and what to do next', (t) => {
  t.regex(dev.output(), new RegExp(`is running at ${url} on \\.svc/dev\\.db`));
  t.regex(dev.output(), new RegExp(`console is at ${url}/console\\.`));
  t.regex(dev.output(), new RegExp(`export SVC_URL=${url}`));
  t.regex(dev.output(), /^database: \.svc\/dev\.db \(default\)$/m);
});

test('the commands that dev suggests work unchanged', async (t) => {
  const [, suggested = ''] = /in the same folder:\n\n((?: {2}.+\n)+)/.exec(dev.output()) ?? [];
  const commands = suggested.trim().split(/\n */);
  t.true(commands.length > 4, suggested);
  const shell = await runProgram('sh', ['-e', '-c', commands.join('\n')], { cwd });
  t.is(shell.code, 0, shell.stderr);
  t.regex(shell.stdout, /^exec_[0-9a-f]{32}\nexecution +exec_/m);
  t.regex(shell.stdout, /"text": "Hello"/);
});

test('workflow: register again, list and show', async (t) => {
  const again = await svc('workflow', 'register', 'greet.json', '-o', 'json');
  t.like(JSON.parse(again.stdout), { workflow_id: 'greet', version: '1.0.0', revision: 1 });
  t.is(
    (await svc('workflow', 'register', 'greet.json')).stdout,
    'registered greet 1.0.0, revision 1\n',
  );

  const { stdout: table } = await svc('workflow', 'list');
  t.regex(table, /^WORKFLOW +VERSION +REVISION +REGISTERED +PAUSE$/m);
  t.regex(table, /^parcel +1\.0\.0 +1 +\d{4}-/m);

  const shown = await svc('workflow', 'show', 'gate', '-o', 'json');
  t.is((JSON.parse(shown.stdout) as { ir: { workflow_id: string } }).ir.workflow_id, 'gate');
  t.is((await svc('workflow', 'show', 'gate', '--version', '9')).code, 4);
});

test('the command for a token that dev names works as it is printed', async (t) => {
  const own = createFolder();
  t.teardown(() => own.remove());
  const env = { SVC_AUTH_ENABLED: 'true' };
  const running = startSvc(['dev', '--port', '0'], { cwd: own.path, env });
  const [, command = ''] = await running.waitFor(/export SVC_TOKEN=\$\((.*)\)\n/);
  const { code, stdout, stderr } = await runProgram('sh', ['-c', command], { cwd: own.path });
  t.is(code, 0, stderr);
  t.regex(stdout, /^svc_\S+\n$/);
});

test('workflow register: --strict takes warnings for errors', async (t) => {
  const ir = { workflow_id: 'slip', nodes: { a: { kind: 'pass', outptu: {} } } };
  writeFileSync(join(cwd, 'slip.json'), JSON.stringify(ir));
  const strict = await svc('workflow', 'register', 'slip.json', '--strict');
  t.not(strict.code, 0);
  t.regex(strict.stderr, /unknown field "outptu" is ignored: did you mean "output"\?/);
  const lenient = await svc('workflow', 'register', 'slip.json');
  t.is(lenient.code, 0);
  t.regex(lenient.stderr, /warning: \/nodes\/a\/outptu: /);
  t.regex(lenient.stderr, /slip is registered in spite of 1 warning: .* --strict\n$/);
  const piped = await svc('workflow', 'register', 'slip.json', '-o', 'json');
  t.is(piped.stderr, lenient.stderr);
});

test('execution start --wait says what holds an execution back, and what to do', async (t) => {
  const kind = { type: 'python_fn', module: 'nobody', function: 'serves' };
  writeFileSync(
    join(cwd, 'unserved.json'),
    JSON.stringify({ workflow_id: 'unserved', nodes: { a: { kind } } }),
  );
  await svc('workflow', 'register', 'unserved.json');
  const env = { SVC_URL: url };
  const waiting = startSvc(['execution', 'start', 'unserved', '--wait'], { cwd, env });
  const [, id = ''] = await waiting.waitFor(
    /(exec_\w+) waits: .*no worker.*; it continues with: a worker that claims nobody\.serves from python_tool\n/,
  );
  await svc('execution', 'cancel', id);
  t.is((await waiting.ended).code, 8);
});

test('workflow register: a definition that cannot run is refused with the place', async (t) => {
  writeFileSync(join(cwd, 'bad.yaml'), 'workflow_id: bad\nnodes:\n  a: { kind: bogus }\n');
  const { code, stdout, stderr } = await svc('workflow', 'register', 'bad.yaml');
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^error: bad request: unknown kind "bogus" \(at \/nodes\/a/);
});

test('execution start --wait: without a terminal the id first, then one result', async (t) => {
  const args = ['execution', 'start', 'greet', '--input', '{"who":"you"}', '--wait'];
  const { code, stdout, stderr } = await svc(...args, '-o', 'json');
  t.is(code, 0, stderr);
  const execution = JSON.parse(stdout) as Execution;
  t.is(execution.status, 'completed');
  t.like(execution.state, { who: 'you', made: { greeting: 'hello' } });
  t.is(stderr, `${execution.execution_id}\n`);

  const table = await svc(...args);
  const [first = '', ...rest] = table.stdout.split('\n');
  t.regex(first, /^exec_[0-9a-f]{32}$/);
  t.regex(rest[0] ?? '', new RegExp(`^execution +${first}$`));
  t.regex(table.stdout, /^status +completed$/m);
  t.is(table.stderr, '');
});

test('execution start: input from a file and from stdin', async (t) => {
  writeFileSync(join(cwd, 'input.yaml'), 'who: file\n');
  const file = await start('greet', '--input', '@input.yaml');
  t.is((await readUntil(file, isOver)).state['who'], 'file');
  const piped = await runSvc(['execution', 'start', 'greet', '--input', '@-'], {
    cwd,
    env: { SVC_URL: url },
    input: '{"who":"stdin"}',
  });
  t.is((await readUntil(piped.stdout.trim(), isOver)).state['who'], 'stdin');
});

test('execution start --idempotency-key: the same execution again', async (t) => {
  const first = await start('greet', '--idempotency-key', 'order-42');
  t.is(await start('greet', '--idempotency-key', 'order-42'), first);
});

test('execution start: an unknown workflow is not found', async (t) => {
  const { code, stderr } = await svc('execution', 'start', 'nothing');
  t.is(code, 4);
  t.regex(stderr, /^error: not found: workflow nothing; list them with: .* workflow list\n$/);
});

test('execution list and show', async (t) => {
  const id = await start('greet');
  await readUntil(id, isOver);
  const listed = await svc('execution', 'list', '--workflow', 'greet', '--status', 'completed');
  t.regex(listed.stdout, new RegExp(`^${id} +greet +completed +\\d{4}-.+Z +\\d{4}-`, 'm'));
  const json = await svc('execution', 'list', '--limit', '1', '-o', 'json');
  t.is((JSON.parse(json.stdout) as { executions: unknown[] }).executions.length, 1);
  t.regex((await svc('execution', 'list', '--limit', '1')).stderr, /add --all, or --cursor /);
  t.regex((await svc('execution', 'show', id)).stdout, /^workflow +greet 1\.0\.0$/m);
  t.is((await svc('execution', 'show', 'exec_nothing')).code, 4);
});

test('execution events --follow: ends with the execution, JSON one event a line', async (t) => {
  const id = await start('gate');
  const following = startSvc(['execution', 'events', id, '--follow', '-o', 'json', '--url', url], {
    cwd,
  });
  await following.waitFor(/ApprovalRequested/);
  t.is((await svc('execution', 'approve', id)).code, 0);
  t.deepEqual(await following.ended, { code: 0, signal: null });
  const events = following
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { sequence: number; kind: string });
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  t.is(events.at(-1)?.kind, 'WorkflowCompleted');

  const table = await svc('execution', 'events', id, '--after', '1');
  t.regex(table.stdout, /^2 +\d{4}-\S+ +\w+/m);
  t.notRegex(table.stdout, /WorkflowStarted/);
  const again = await svc('execution', 'events', id, '--follow');
  t.regex(again.stdout, /#1 WorkflowStarted\n[^]*WorkflowCompleted\n$/);
});

test('execution approve --reject fails the execution, and --wait exits with 8', async (t) => {
  const args = ['execution', 'start', 'gate', '--wait', '--idempotency-key', 'rejected'];
  const waiting = startSvc([...args, '--url', url], { cwd });
  await waiting.waitFor(/^ask waits for a decision: node .*\/svc\.js execution approve exec_/m);
  const id = await start('gate', '--idempotency-key', 'rejected');
  const rejected = await svc(
    'execution',
    'approve',
    id,
    '--reject',
    '--user',
    'ann',
    '--comment',
    'no',
  );
  t.is(rejected.stdout, 'rejected ask\n');
  t.is((await waiting.ended).code, 8);
  t.regex(waiting.output(), new RegExp(`error: ${id} failed: .*approval rejected by ann: no`));
  const failed = ['execution', 'list', '-q', 'error_class = approval_rejected'];
  t.regex(
    (await svc(...failed)).stdout,
    new RegExp(`^${id} .* approval_rejected \\(node ask\\)$`, 'm'),
  );
  t.is((await svc(...failed, '-o', 'ids')).stdout, `${id}\n`);
  t.regex((await svc(...failed, '-o', 'wide')).stdout, /ERROR CLASS +ERROR NODE ID/);
});

test('execution approvals and approve: show the call before it is decided', async (t) => {
  const id = await start('pay', '--input', '{"amount": 5}');
  await readUntil(id, ({ status }) => status === 'paused');
  const listed = await svc('execution', 'approvals', id);
  t.is(listed.code, 0, listed.stderr);
  t.regex(listed.stdout, /^tool +bank\.pay$/m);
  t.regex(listed.stdout, /^arguments +\{\n +"amount": 5\n/m);
  t.regex(listed.stdout, /^hash +[0-9a-f]{64}$/m);
  const json = await svc('execution', 'approvals', id, '-o', 'json');
  t.like(JSON.parse(json.stdout), { pending: [{ tool: 'bank.pay', arguments: { amount: 5 } }] });
  const approved = await svc('execution', 'approve', id, '--user', 'kim');
  t.is(approved.stdout, 'approved a\n');
  t.regex(approved.stderr, /^node: a\n.*\ntool: bank\.pay\narguments: \{"amount":5\}\nhash: /);
  const after = await svc('execution', 'approvals', id);
  t.regex(after.stdout, /^a +approved +kim /m);
});

test('execution approve --shown-hash: decides on nothing else', async (t) => {
  const id = await start('gate');
  await readUntil(id, ({ status }) => status === 'paused');
  const hash = '0'.repeat(64);
  const { code, stderr } = await svc('execution', 'approve', id, '--shown-hash', hash);
  t.is(code, 1);
  t.regex(stderr, /no open approval shows what was decided on/);
  t.is((await svc('execution', 'show', id, '-o', 'json')).code, 0);
  t.is((await svc('execution', 'approve', id)).code, 0);
});

test('execution approve: with nothing to decide it says so', async (t) => {
  const id = await start('tool');
  const { code, stdout, stderr } = await svc('execution', 'approve', id, '-o', 'json');
  t.is(code, 1);
  t.like(JSON.parse(stdout), { accepted: false });
  t.regex(stderr, /^error: no approval is open: .*svc\.js execution explain exec_/);
});

test('execution explain: says what it waits for and what would help, or why it ended', async (t) => {
  const id = await start('gate');
  await readUntil(id, ({ status }) => status === 'paused');
  const waiting = await svc('execution', 'explain', id);
  t.is(waiting.code, 0, waiting.stderr);
  t.regex(waiting.stdout, /^moving +no$/m);
  t.regex(waiting.stdout, /^unblocked by +.*svc\.js execution approve/m);
  t.regex(waiting.stdout, /^awaiting_approval +ask /m);
  await svc('execution', 'cancel', id);
  const ended = await svc('execution', 'explain', id);
  t.regex(ended.stdout, /^why +it was cancelled$/m);
  const json = await svc('execution', 'explain', id, '-o', 'json');
  t.like(JSON.parse(json.stdout), { execution_id: id, blockers: [], status: 'cancelled' });
});

test('execution state: prints the state after an event, its changes, and who set it', async (t) => {
  const id = await start('gate');
  await readUntil(id, ({ status }) => status === 'paused');
  const whole = await svc('execution', 'state', id, '--at', '1', '-o', 'json');
  t.is(whole.code, 0, whole.stderr);
  t.like(JSON.parse(whole.stdout), { execution_id: id, sequence: 1, omitted_total: 0 });
  t.deepEqual(
    JSON.parse((await svc('execution', 'state', id, '--at', '1')).stdout),
    (JSON.parse(whole.stdout) as { readonly state: unknown }).state,
  );
  const changes = await svc('execution', 'state', id, '--diff', '0', '--at', '1');
  t.regex(changes.stdout, /^CHANGE +PATH +BEFORE +AFTER/m);
  writeFileSync(join(cwd, 'large.json'), JSON.stringify({ text: 'x'.repeat(600_000) }));
  const large = await start('gate', '--input', '@large.json');
  const added = await svc('execution', 'state', large, '--diff', '0', '--at', '1');
  t.regex(added.stdout, /^add +\/text +- +too large to show$/m);
  const blamed = await svc('execution', 'state', id, '--blame');
  t.regex(blamed.stdout, /^KEY +SEQUENCE +TIME +KIND +NODE +SET BY +CAUSE/m);
  t.like(
    JSON.parse(
      (await svc('execution', 'state', id, '--at', '1970-01-01T00:00:00Z', '-o', 'json')).stdout,
    ),
    {
      sequence: 0,
      state: {},
    },
  );
  t.is((await svc('execution', 'state', id, '--blame', '--diff', '1')).code, 2);
  await svc('execution', 'cancel', id);
});

test('execution send-event: wakes the wait with that key', async (t) => {
  const id = await start('parcel');
  await readUntil(id, ({ waiting_on: on }) => on[0]?.waiting_for === 'event');
  const sent = await svc('execution', 'send-event', id, 'arrived', '--payload', '{"ok":true}');
  t.is(sent.stdout, `delivered arrived to ${id}\n`);
  t.is((await readUntil(id, isOver)).status, 'completed');
  const late = await svc('execution', 'send-event', id, 'arrived');
  t.is(late.code, 1);
  t.is(late.stderr, `error: not accepted: ${id} has ended\n`);
});

test('execution pause and resume: it waits, then continues', async (t) => {
  const id = await start('tool');
  const paused = await svc('execution', 'pause', id, '--reason', 'looks wrong');
  t.regex(paused.stdout, /is paused by .+: looks wrong$/m);
  t.regex((await svc('execution', 'show', id)).stdout, /^paused +by .+: looks wrong$/m);
  t.is((await svc('execution', 'resume', id)).stdout, `${id} is running\n`);
  t.is((await svc('execution', 'resume', id)).code, 0);
  await svc('execution', 'cancel', id);
  const over = await svc('execution', 'pause', id);
  t.is(over.code, 1);
  t.regex(over.stderr, /is cancelled/);
});

test('workflow pause and resume: a started execution waits, then continues', async (t) => {
  const paused = await svc('workflow', 'pause', 'switched', '--reason', 'no carrier');
  t.is(paused.code, 0, paused.stderr);
  t.regex(paused.stdout, /^switched has been paused by .+ since .+: no carrier; /);
  const id = await start('switched');
  await readUntil(id, ({ status }) => status === 'paused');
  t.regex(
    (await svc('execution', 'show', id)).stdout,
    /^paused +with its workflow by .+: no carrier$/m,
  );
  t.regex((await svc('workflow', 'list')).stdout, /^switched .+ paus(ing|ed)$/m);
  const told = await svc('execution', 'explain', id);
  t.regex(told.stdout, /paused workflow switched: no carrier/);
  t.is((await svc('workflow', 'resume', 'switched')).code, 0);
  await eventually(async () => {
    const { pause } = JSON.parse(
      (await svc('workflow', 'show', 'switched', '-o', 'json')).stdout,
    ) as {
      pause: unknown;
    };
    if (pause !== null) throw new Error('it is being resumed');
  });
  t.is((await svc('workflow', 'resume', 'switched')).stdout, 'switched is not paused\n');
  const sent = await svc('execution', 'send-event', id, 'arrived', '--payload', '{}');
  t.is(sent.code, 0, sent.stderr);
  t.is((await readUntil(id, isOver)).status, 'completed');
  t.is((await svc('workflow', 'pause', 'nobody')).code, 4);
});

test('execution retry: continues as another, once', async (t) => {
  const id = await start('tool');
  await svc('execution', 'cancel', id);
  const retried = await svc('execution', 'retry', id, '--state-patch', '{"n": 1}', '-o', 'json');
  t.is(retried.code, 0, retried.stderr);
  const { execution_id: next } = JSON.parse(retried.stdout) as { execution_id: string };
  t.regex((await svc('execution', 'show', next)).stdout, new RegExp(`^retry of +${id}$`, 'm'));
  const again = await svc('execution', 'retry', id);
  t.is(again.code, 1);
  t.true(again.stderr.includes(next));
  await svc('execution', 'cancel', next);
});

test('execution fork: another execution carries this one, and both are compared', async (t) => {
  const id = await start('greet');
  t.is((await readUntil(id, isOver)).status, 'completed');
  const preview = await svc('execution', 'fork', id, '--at', 'start', '--dry-run');
  t.is(preview.code, 0, preview.stderr);
  t.regex(preview.stdout, /^begins at +start$/m);
  const forked = await svc('execution', 'fork', id, '--at', 'start', '--patch', '{"extra": 1}');
  t.is(forked.code, 0, forked.stderr);
  const fork = forked.stdout.trim();
  t.is((await readUntil(fork, isOver)).status, 'completed');
  t.regex((await svc('execution', 'show', fork)).stdout, new RegExp(`^fork of +${id}$`, 'm'));
  t.regex((await svc('execution', 'forks', id)).stdout, new RegExp(`^${fork} +completed`, 'm'));
  const second = (await svc('execution', 'fork', id, '--at', 'start')).stdout.trim();
  const page = await svc('execution', 'forks', id, '--limit', '1', '-o', 'ids');
  t.is(page.stdout, `${second}\n`);
  const [, cursor = ''] = /--cursor (\S+)/.exec(page.stderr) ?? [];
  const rest = await svc('execution', 'forks', id, '--cursor', cursor, '-o', 'ids');
  t.is(rest.stdout, `${fork}\n`);
  const all = await svc('execution', 'forks', id, '--all', '-o', 'ids');
  t.is(all.stdout, `${second}\n${fork}\n`);
  const diff = await svc('execution', 'diff', id, fork);
  t.is(diff.code, 0, diff.stderr);
  t.regex(diff.stdout, /^extra +absent +1$/m);
  t.is((await svc('execution', 'fork', id, '--at', 'nothing')).code, 1);
});

test('execution export: a file that can be checked', async (t) => {
  const id = await start('greet');
  const file = join(cwd, `${id}.json`);
  t.is((await svc('execution', 'export', id, '--file', file)).code, 0);
  t.is((await svc('execution', 'check-export', file)).stdout, `${file} is intact\n`);
  t.regex((await svc('execution', 'export', id, '--file', file)).stderr, /exists already/);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"hello"', '"hallo"'));
  const changed = await svc('execution', 'check-export', file);
  t.is(changed.code, 1);
  t.regex(changed.stderr, /is not intact: its hash does not match its content/);
  writeFileSync(file, 'nothing');
  t.regex((await svc('execution', 'check-export', file)).stderr, /it is not a JSON object/);
});

test('execution import: an export comes in once, and shows it', async (t) => {
  const executionId = 'exec_0198c0de00007000a000000000000201';
  const document = makeExport({ executionId, definitionId: IMPORTED_DEFINITION });
  const file = join(cwd, 'incident.json');
  writeFileSync(file, JSON.stringify(document));
  const first = await svc('execution', 'import', file);
  t.is(first.stdout, `${executionId} is imported, cancelled, with 2 events\n`, first.stderr);
  t.is(
    (await svc('execution', 'import', file)).stdout,
    `${executionId} exists already, cancelled, with 2 events\n`,
  );
  const { stdout } = await svc('execution', 'import', file, '-o', 'json');
  t.like((JSON.parse(stdout) as { results: object[] }).results[0], { imported: false, events: 2 });
  t.regex((await svc('execution', 'show', executionId)).stdout, /imported +\d{4}-.* by token:dev/);
  writeFileSync(file, JSON.stringify({ ...document, redacted: true, sha256: undefined }));
  const refused = await svc('execution', 'import', file);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /people's data is hidden in it/);
  writeFileSync(file, 'nothing');
  t.is((await svc('execution', 'import', file)).code, 2);
});

test('execution import: one or all of an archive, as its manifest says', async (t) => {
  const ids = [1, 2, 3].map((n) => `exec_0198c0de00007000a00000000000021${n}`);
  async function* documents() {
    for (const executionId of ids) {
      const made = makeExport({ executionId, definitionId: IMPORTED_DEFINITION });
      const { sha256: _, artifacts: __, redacted: ___, ...line } = made;
      yield line as unknown as ExecutionDocument;
    }
  }
  const folder = join(cwd, 'archive');
  await writeArchive({ folder, name: 'batch', documents: documents() });
  const file = join(folder, 'batch.jsonl.gz');
  const one = await svc('execution', 'import', file, '--execution', ids[1] ?? '');
  t.is(one.stdout, `${ids[1]} is imported, cancelled, with 2 events\n`, one.stderr);
  const all = await svc('execution', 'import', file);
  t.deepEqual(
    all.stdout.split('\n').map((line) => line.split(',')[0]),
    [`${ids[0]} is imported`, `${ids[1]} exists already`, `${ids[2]} is imported`, ''],
  );
  const nobody = await svc('execution', 'import', file, '--execution', 'exec_1');
  t.is(nobody.code, 1);
  t.regex(nobody.stderr, /does not contain exec_1/);
  writeFileSync(file, readFileSync(file).subarray(0, 100));
  const short = await svc('execution', 'import', file);
  t.is(short.code, 1);
  t.regex(short.stderr, /is not the file that its manifest describes/);
  rmSync(join(folder, 'batch.json'));
  t.regex((await svc('execution', 'import', file)).stderr, /is no archive, or not all of one/);
});

const IMPORTED_DEFINITION = '0198c0de-0000-7000-a000-000000000200';

test('execution bulk: shows first, and acts with --yes', async (t) => {
  const id = await start('many');
  const shown = await svc('execution', 'bulk', 'cancel', '--workflow', 'many');
  t.true(shown.stdout.includes(id));
  t.regex(shown.stderr, /1 executions match: add --yes to cancel them/);
  const done = await svc('execution', 'bulk', 'cancel', '--workflow', 'many', '--yes');
  t.is(done.stdout, 'cancel: 1 done, 0 refused\n');
  const none = ['execution', 'bulk', 'cancel', '--workflow', 'many', '-o', 'json'];
  t.like(JSON.parse((await svc(...none)).stdout), { total: 0, sample: [] });
});

test('execution list and count: a query says which', async (t) => {
  const id = await start('found');
  const query = ['-q', 'workflow = found and started > -1h'];
  const list = await svc('execution', 'list', ...query);
  t.true(list.stdout.includes(id));
  t.is(list.stdout.trim().split('\n').length, 2);
  const counts = await svc('execution', 'count', ...query);
  t.regex(counts.stdout, /^total +1$/m);
  const json = await svc('execution', 'count', '--workflow', 'found', '-o', 'json');
  t.like(JSON.parse(json.stdout), { total: 1, is_exact: true });
  const wrong = await svc('execution', 'list', '-q', 'statsu = failed');
  t.not(wrong.code, 0);
  t.regex(wrong.stderr, /no field is named statsu; did you mean status\? \(at character 1\)/);
});

test('execution start-many: each line has its result, and a repetition starts nothing', async (t) => {
  const file = join(cwd, 'orders.ndjson');
  const lines = [
    '{"input":{"n":1}}',
    '',
    '{"input":',
    '{"workflow_id":"nobody","input":{}}',
    '{"input":{"n":2}}',
  ];
  writeFileSync(file, lines.join('\n'));
  const command = [
    'execution',
    'start-many',
    file,
    '--workflow',
    'batch',
    '--idempotency-key',
    'k',
  ];
  const first = await svc(...command);
  t.is(first.code, 1);
  t.regex(first.stdout, /^exec_\S+\nexec_\S+\n$/);
  t.is(
    first.stderr,
    'line 3: the line is not JSON\nline 4: not found: workflow nobody\nerror: 2 of 4 lines not started\n',
  );
  const again = JSON.parse((await svc(...command, '-o', 'json')).stdout) as {
    readonly results: readonly { readonly line: number; readonly execution_id?: string }[];
  };
  t.like(again, { started: 2, refused: 2 });
  t.deepEqual(
    again.results.map(({ line }) => line),
    [1, 3, 4, 5],
  );
  const ids = again.results.flatMap(({ execution_id: id }) => id ?? []);
  t.is(`${ids.join('\n')}\n`, first.stdout);
});

test('execution start-many: it reads stdin, batch by batch, and refuses a file without lines', async (t) => {
  const lines = Array.from(
    { length: 1_200 },
    (_, n) => `{"workflow_id":"batch","input":{"n":${n}}}\n`,
  );
  const piped = await runSvc(['execution', 'start-many', '-', '--url', url], {
    cwd,
    input: lines.join(''),
  });
  t.is(piped.code, 0, piped.stderr);
  t.is(piped.stdout.split('\n').length, 1_201);
  t.is(piped.stderr, 'start-many: lines 1 to 1000 have their results\n');
  const empty = join(cwd, 'empty.ndjson');
  writeFileSync(empty, '\n');
  t.is((await svc('execution', 'start-many', empty)).code, 2);
  t.regex(
    (await svc('execution', 'start-many', 'none.ndjson')).stderr,
    /"none.ndjson" does not exist/,
  );
});

test('work-item: dead letters are listed and requeued', async (t) => {
  const id = await start('letter');
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { readonly work_item?: { readonly id: string } };
  };
  const { work_item: item } = await post('/work-items/claim', {
    worker_id: 'w',
    queue_types: ['java_tool'],
    wait_ms: 5_000,
  });
  await post(`/work-items/${item?.id}/fail`, { error: 'no fence' });
  const listed = await svc('work-item', 'list', '--workflow', 'letter');
  t.true(listed.stdout.includes(item?.id ?? '?'), listed.stdout);
  const shown = await svc('work-item', 'requeue-all', '--workflow', 'letter');
  t.regex(shown.stderr, /1 dead letters would be requeued: add --yes/);
  const done = await svc('work-item', 'requeue-all', '--workflow', 'letter', '--yes');
  t.is(done.stdout, '1 requeued, 0 refused\n');
  const again = await svc('work-item', 'requeue', item?.id ?? '');
  t.is(again.code, 1);
  t.regex(again.stderr, /is not dead-lettered/);
  await svc('execution', 'cancel', id);
});

test('execution cancel: once and again', async (t) => {
  const id = await start('tool');
  t.is((await svc('execution', 'cancel', id)).stdout, `${id} is cancelled\n`);
  t.is((await svc('execution', 'cancel', id)).code, 0);
  t.is((await readUntil(id, isOver)).status, 'cancelled');
});

test('execution start --wait: cancelled by someone else exits with 8', async (t) => {
  const waiting = startSvc(
    ['execution', 'start', 'tool', '--wait', '--url', url, '--idempotency-key', 'wait-8'],
    { cwd },
  );
  await waiting.waitFor(/^exec_/m);
  const id = await start('tool', '--idempotency-key', 'wait-8');
  await svc('execution', 'cancel', id);
  t.is((await waiting.ended).code, 8);
  t.regex(waiting.output(), new RegExp(`error: ${id} was cancelled`));
});

function isOver({ status }: Execution): boolean {
  return ['completed', 'failed', 'cancelled'].includes(status);
}
