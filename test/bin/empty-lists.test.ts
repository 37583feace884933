import test from 'ava';
import type { Command } from 'commander';
import { parse } from 'yaml';

import { createProgram } from '../../bin/cli/create-program.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* Every list command where there is nothing to list. */

const folder = createFolder();
let database: TestDatabase;
let runtime: Runtime;
let empty: Owner;
let busy: Owner & { readonly execution: string; readonly webhook: string };

interface Owner {
  readonly tenant: TestTenant;
  readonly token: string;
}

test.before('start', async (t) => {
  t.timeout(180_000);
  database = await createTestDatabase('sqlite');
  runtime = await startRuntime({
    databaseUrl: database.url,
    env: { SVC_WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true' },
  });
  [empty, busy] = await Promise.all([makeOwner(), makeBusyOwner()]);
});
test.after.always('stop', async () => {
  await runtime.end('SIGTERM');
  await database.drop();
  await folder.remove();
});

interface EmptyList {
  /** The plural in the note. */
  readonly none: string;
  /** Arguments for which there is nothing to list. */
  readonly args?: () => readonly string[];
}

const onDatabase = () => ['--database-url', database.url, '--tenant', 'nobody'];

/** By the words that name the command. A new list needs its line here. */
const LISTS: Readonly<Record<string, EmptyList>> = {
  'svc token list': { none: 'tokens', args: onDatabase },
  'svc retention list': { none: 'retention policies', args: onDatabase },
  'svc workflow list': { none: 'workflows' },
  'svc execution list': { none: 'executions' },
  'svc execution forks': { none: 'forks', args: () => [busy.execution] },
  'svc execution approvals': { none: 'open approvals', args: () => [busy.execution] },
  'svc work-item list': { none: 'dead-lettered work items' },
  'svc approval list': { none: 'approvals' },
  'svc queue list': { none: 'queues' },
  'svc failure list': { none: 'failures' },
  'svc failure show': { none: 'failures', args: () => ['0123456789abcdef'] },
  'svc schedule list': { none: 'schedules' },
  'svc webhook list': { none: 'webhooks' },
  'svc webhook deliveries': { none: 'deliveries', args: () => [busy.webhook] },
  'svc agent list': { none: 'agents' },
  'svc tenant list': { none: 'tenants', args: () => ['--cursor', LAST_TENANT] },
  'svc context list': { none: 'contexts' },
};

/** The process that answers is one of the workers. */
const NEVER_EMPTY = ['svc worker list'];

/** Every tenant sees itself, so its list is empty only after the last one. */
const LAST_TENANT = Buffer.from('["~"]').toString('base64url');

test('every list command is in the table of this test', (t) => {
  const named = commands.map(nameOf).filter((name) => !NEVER_EMPTY.includes(name));
  t.deepEqual(named, Object.keys(LISTS));
});

for (const [name, { none, args = () => [] }] of Object.entries(LISTS)) {
  test.serial(`${name} without rows: a note on stderr, and nothing else on stdout`, async (t) => {
    t.timeout(120_000);
    const list = (format: string) => {
      const words = [...name.split(' ').slice(1), ...args(), '-o', format];
      const { token } = args().some((arg) => arg === busy.execution || arg === busy.webhook)
        ? busy
        : empty;
      const env = { SVC_URL: runtime.url, SVC_TOKEN: token };
      return runSvc(words, { cwd: folder.path, env });
    };
    const told = new RegExp(`^no ${none} found(?:: .*)?$`, 'gm');
    for (const format of ['table', 'wide']) {
      const { code, stdout, stderr } = await list(format);
      t.is(code, 0, stderr);
      t.is(stdout, '', format);
      t.is(stderr.match(told)?.length, 1, `${format}: ${stderr}`);
    }
    const ids = await list('ids');
    t.is(ids.stdout, '');
    const [json, yaml] = [await list('json'), await list('yaml')];
    t.deepEqual(Object.keys(parse(yaml.stdout)), Object.keys(JSON.parse(json.stdout)));
    for (const { stderr } of [ids, json, yaml]) t.notRegex(stderr, / found/);
  });
}

async function makeOwner(): Promise<Owner> {
  const tenant = await runtime.newTenant();
  const body = { name: 'lists', role: 'operator' };
  const { token } = expectStatus(await tenant.post<{ token: string }>('/tokens', body), 201);
  return { tenant, token };
}

async function makeBusyOwner(): Promise<typeof busy> {
  const owner = await makeOwner();
  const { tenant } = owner;
  const execution = await tenant.run({ nodes: { only: { kind: 'pass' } } });
  const body = { url: 'http://127.0.0.1:9/', event_types: ['execution.failed'] };
  const made = await tenant.post<{ webhook_id: string }>('/webhooks', body);
  return { ...owner, execution, webhook: expectStatus(made, 201).webhook_id };
}

const commands = leavesOf(createProgram()).filter(isList);

function isList(command: Command): boolean {
  return command.name() === 'list' || command.description().startsWith('list ');
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
