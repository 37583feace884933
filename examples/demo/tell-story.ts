import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { checkClaims, type Records } from './claims.ts';
import { canListen, findFreePort } from './find-free-port.ts';
import type { Process, Processes } from './processes.ts';
import {
  printBlow,
  printCommand,
  printNote,
  printOutput,
  printStep,
  printTitle,
  printVerdict,
} from './screen.ts';
import type { Shop } from './shop.ts';
import { createTimeline, type Event, type Timeline } from './timeline.ts';

/*
 * The story: an order goes through, although the runtime is killed in the middle of one tool call and
 * the worker in the middle of another. Everything is done as anybody would, by the command line and
 * the HTTP API. Nothing hangs on timing: the shop holds back its answer to a call until the process
 * that the story kills during that call is dead.
 */

/** So that nobody waits half a minute for the worker's lease to lapse. */
const SHORT_LEASE_SECONDS = 3;
const USUAL_PORT = 7700;
/** As it is typed in the folder of the project. */
const SVC = 'node bin/svc.js';
const POLL_MS = 50;
/** How long a dead runtime stays dead, for the eye. */
const PAUSE_MS = 1_000;

/** False when a claim does not hold. */
export async function tellStory(params: {
  readonly processes: Processes;
  readonly shop: Shop;
  readonly folder: string;
  /** Null: the usual one, or another when that is taken. */
  readonly port: number | null;
}): Promise<boolean> {
  const { processes, shop, folder } = params;
  const port = params.port ?? (await findFreePort([USUAL_PORT]));
  const stage = createStage({ processes, shop, port, database: join(folder, 'orders.db') });
  const { timeline } = stage;

  printTitle('svc demo', 'an order outlives a crash of the runtime and one of the worker');

  printStep('Start the runtime on one SQLite file, and a worker');
  let runtime = await stage.startRuntime({});
  let worker = stage.startWorker('worker-1');

  printStep('Register a workflow and start an order large enough to need a person');
  printOutput(await stage.svc(['workflow', 'register', 'examples/workflows/order.json']));
  shop.hold('payment.authorize');
  const input = JSON.stringify({ order_id: 'A-1001', total: 250 });
  const started = await stage.svc(['execution', 'start', 'order', '--input', input]);
  const executionId = started.trim();
  printOutput(started);
  stage.followEvents(executionId);
  await timeline.until('NodeCompleted', 'reserve');
  await stage.untilCalled('payment.authorize');

  printStep('Crash 1: kill the runtime while the payment is being authorized');
  const eventsBefore = await stage.readEvents(executionId);
  await runtime.kill();
  await stage.confirmGone();
  printBlow(
    `kill -9 ${runtime.pid}: the runtime is gone, ${eventsBefore.length} events are on disk`,
  );
  shop.release('payment.authorize');
  printNote('The payment is authorized now. The worker cannot hand that in, and keeps trying.');
  await delay(PAUSE_MS);
  runtime = await stage.startRuntime({ SVC_SCHEDULER_LEASE_SECONDS: String(SHORT_LEASE_SECONDS) });
  await timeline.until('ApprovalRequested', 'review');

  printStep('Decide as a person');
  await stage.confirmStatus(executionId, 'paused');
  printNote('The execution is paused: nothing runs until somebody decides.');
  shop.hold('shipping.dispatch');
  const decision = ['--user', 'reviewer', '--comment', 'known customer'];
  printOutput(await stage.svc(['execution', 'approve', executionId, ...decision]));
  await timeline.until('TimerFired', 'cool_off');
  await stage.untilCalled('shipping.dispatch');

  printStep('Crash 2: kill the worker while the parcel is being dispatched');
  await worker.kill();
  printBlow(`kill -9 ${worker.pid}: the worker is gone, and its result with it`);
  shop.release('shipping.dispatch');
  worker = stage.startWorker('worker-2');
  printNote(`Its lease lapses after ${SHORT_LEASE_SECONDS} s; then the call comes to the new one.`);
  await timeline.until('WorkflowCompleted');

  printStep('What is on record');
  printOutput(await stage.svc(['execution', 'events', executionId]));

  printStep('What was claimed, checked against these records and the shop’s own book');
  const records = await stage.readRecords(executionId, eventsBefore);
  const claims = checkClaims(records);
  for (const { holds, text } of claims) printVerdict(holds, text);
  const allHold = claims.every(({ holds }) => holds);
  if (allHold) printFarewell({ executionId, folder, port, database: stage.database });
  return allHold;
}

function createStage(params: {
  readonly processes: Processes;
  readonly shop: Shop;
  readonly port: number;
  readonly database: string;
}) {
  const { processes, shop, port, database } = params;
  const url = `http://127.0.0.1:${port}`;
  const timeline: Timeline = createTimeline();
  const env = { SVC_URL: url, SHOP_URL: shop.url };
  let isUrlShown = false;

  async function read<Body>(path: string): Promise<Body> {
    const response = await fetch(url + path);
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return (await response.json()) as Body;
  }

  return {
    database,
    timeline,

    async startRuntime(settings: Readonly<Record<string, string>>): Promise<Process> {
      const startedAt = performance.now();
      const command = ['dev', '--port', String(port), '--database-url', database];
      const args = ['bin/svc.js', ...command];
      // Else the answers of another runtime would be taken for this one's.
      if (!(await canListen(port)))
        throw new Error(`port ${port} is taken: name another by --port`);
      const started = processes.start({ name: 'runtime', args, env: settings });
      const assignments = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      printCommand([...assignments, SVC, ...command].join(' '));
      await until(() => isHealthy(url));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      // Commands shown from here on then find it.
      if (port !== USUAL_PORT && !isUrlShown) printCommand(`export SVC_URL=${url}`);
      isUrlShown = true;
      printNote(`The runtime is ready at ${url} after ${seconds} s, as process ${started.pid}.`);
      return started;
    },

    startWorker(name: string): Process {
      const args = ['examples/workers/node/main.ts', 'examples/demo/order-handlers.ts'];
      const started = processes.start({ name, args, env: { ...env, WORKER_ID: name } });
      printCommand(`node ${args.join(' ')}`);
      printNote(`${name} takes work over HTTP, as process ${started.pid}.`);
      return started;
    },

    /** Runs a command of the CLI, shown as somebody would type it. */
    svc(args: readonly string[]): Promise<string> {
      const output = processes.run({ args: ['bin/svc.js', ...args], env });
      printCommand([SVC, ...args.map(quote)].join(' '));
      return output;
    },

    /** Prints the events as they come, over the same stream from the start to the end. */
    followEvents(executionId: string): void {
      const args = ['execution', 'events', executionId, '--follow'];
      processes.follow({
        name: 'event stream',
        args: ['bin/svc.js', ...args, '--output', 'json'],
        env,
        onLine: (line) => timeline.add(JSON.parse(line) as Event),
      });
      printCommand([SVC, ...args].join(' '));
    },

    untilCalled: (tool: string) => until(() => shop.calls.some((call) => call.tool === tool)),

    async confirmGone(): Promise<void> {
      if (await isHealthy(url)) throw new Error('the runtime still answers after it was killed');
    },

    async confirmStatus(executionId: string, expected: string): Promise<void> {
      const { status } = await read<Records['execution']>(`/executions/${executionId}`);
      if (status !== expected) throw new Error(`the execution is ${status}, not ${expected}`);
    },

    async readEvents(executionId: string): Promise<readonly Event[]> {
      return (await read<{ events: Event[] }>(`/executions/${executionId}/events`)).events;
    },

    async readRecords(executionId: string, eventsBefore: readonly Event[]): Promise<Records> {
      const path = `/executions/${executionId}`;
      const { decided } = await read<{ decided: Records['approvals'] }>(`${path}/approvals`);
      return {
        execution: await read<Records['execution']>(path),
        eventsBefore,
        events: await this.readEvents(executionId),
        approvals: decided,
        calls: shop.calls,
      };
    },
  };
}

/** Not bounded: the demo as a whole is. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(POLL_MS);
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function quote(argument: string): string {
  return /^[\w./:=@-]+$/.test(argument) ? argument : `'${argument}'`;
}

function printFarewell(params: {
  readonly executionId: string;
  readonly folder: string;
  readonly port: number;
  readonly database: string;
}): void {
  const { executionId, folder, port, database } = params;
  printStep('Look around yourself: all of it is in one file');
  printCommand(`${SVC} dev --port ${port} --database-url ${database}`);
  printNote('and in a browser, with its graph and its history,');
  printOutput(`http://127.0.0.1:${port}/console/executions/${executionId}`);
  printNote('or in another terminal');
  if (port !== USUAL_PORT) printCommand(`export SVC_URL=http://127.0.0.1:${port}`);
  printCommand(`${SVC} execution show ${executionId}`);
  printCommand(`curl http://127.0.0.1:${port}/executions/${executionId}`);
  printNote(`The logs are in ${folder}, which you may delete.`);
  printNote('Read on: docs/get-started/tour.md is a tour by hand,');
  printNote(
    'docs/reference/ir.md the workflow format, docs/guides/workers.md how to write a worker.',
  );
}
