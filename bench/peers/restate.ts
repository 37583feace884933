import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';

import { freePort } from '../../test/support/servers/ports.ts';
import { pollUntil } from '../support/poll-until.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import type { GivenWorkload } from '../support/workload.ts';
import { type PeerParams, runPeer, stepNumbers } from './run-peer.ts';

const READY_MS_MAX = 60_000;

/** Its server with its own store, and one process with service and client, over HTTP/2. */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { params } = given;
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-restate-'));
  const ports = { ingress: await freePort(), admin: await freePort(), fabric: await freePort() };
  const server = spawn(findServer(), ['--node-name', 'bench', '--base-dir', folder], {
    env: {
      ...process.env,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(ports.fabric),
      RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
      RESTATE_ADMIN__BIND_PORT: String(ports.admin),
      RESTATE_LOG_FILTER: 'error',
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    const bench = restate.service({
      name: 'bench',
      handlers: {
        chain: async (context: restate.Context) => {
          for (const step of stepNumbers(params)) await context.run(`step${step}`, noop);
          return {};
        },
        fan: async (context: restate.Context) => {
          await restate.RestatePromise.all(
            stepNumbers(params).map((step) => context.run(`step${step}`, noop)),
          );
          return {};
        },
      },
    });
    const servicePort = await freePort();
    await restate.serve({ services: [bench], port: servicePort });
    await untilRegistered(ports.admin, servicePort);
    const client = clients
      .connect({ url: `http://127.0.0.1:${ports.ingress}` })
      .serviceClient<typeof bench>({ name: 'bench' });
    const used = (): number => cpuMicrosOf(server.pid ?? 0) ?? 0;
    await runPeer(given, async () => client[params.shape](), used);
  } finally {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

const noop = (): object => ({});

function findServer(): string {
  const require = createRequire(import.meta.url);
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), 'bin/restate-server');
}

async function untilRegistered(adminPort: number, servicePort: number): Promise<void> {
  const isRegistered = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` }),
    }).catch(() => null);
    return answer?.ok === true;
  };
  const what = 'the service is registered';
  await pollUntil(isRegistered, { what, everyMs: 100, withinMs: READY_MS_MAX });
}
