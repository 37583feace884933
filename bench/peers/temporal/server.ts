import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import pg from 'pg';

import { freePort } from '../../../test/support/servers/ports.ts';
import { pollUntil } from '../../support/poll-until.ts';
import { cpuMicrosOf } from '../../support/process-use.ts';

export interface TemporalServer {
  readonly address: string;
  readonly cpuMicros: () => number;
  stop(): Promise<void>;
}

export const NAMESPACE = 'bench';

const PROGRAMS = new URL('../node_modules/.temporal/', import.meta.url).pathname;
const READY_MS_MAX = 60_000;
const SERVICES = ['frontend', 'matching', 'history', 'worker'] as const;

/** All services of Temporal's server in one process, on the PostgreSQL server of the benchmark. */
export async function startTemporal(databaseUrl: string): Promise<TemporalServer> {
  const main = new URL(databaseUrl);
  const visibility = new URL(databaseUrl);
  visibility.pathname = `${main.pathname}_visibility`;
  await createDatabase(main, visibility.pathname.slice(1));
  writeSchema(main, 'temporal');
  writeSchema(visibility, 'visibility');
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-temporal-'));
  const ports = await Promise.all(
    SERVICES.map(async (name) => ({ name, rpc: await freePort(), membership: await freePort() })),
  );
  writeConfig(folder, configuration({ main, visibility, ports, folder }));
  const server = spawn(
    join(PROGRAMS, 'server'),
    ['--root', folder, '--config', 'config', '--env', 'bench', 'start'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const address = `127.0.0.1:${ports[0]?.rpc}`;
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await makeNamespace(address);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop, cpuMicros: () => cpuMicrosOf(server.pid ?? 0) ?? 0 };
}

async function createDatabase(server: URL, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
}

/** By Temporal's own tool, which carries the schemas. */
function writeSchema(database: URL, name: 'temporal' | 'visibility'): void {
  const { hostname, port, username, password, pathname } = database;
  const run = (...args: readonly string[]): void => {
    const login = ['--user', username, '--password', password, '--database', pathname.slice(1)];
    const target = ['--plugin', 'postgres12', '--endpoint', hostname, '--port', port];
    execFileSync(join(PROGRAMS, 'sql'), [...target, ...login, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  run('setup-schema', '--version', '0.0');
  run('update-schema', '--schema-name', `postgresql/v12/${name}`);
}

function writeConfig(folder: string, config: object): void {
  mkdirSync(join(folder, 'config'));
  // JSON is YAML.
  writeFileSync(join(folder, 'config/bench.yaml'), JSON.stringify(config));
  writeFileSync(join(folder, 'limits.yaml'), JSON.stringify(LIMITS));
}

function configuration(of: {
  readonly main: URL;
  readonly visibility: URL;
  readonly ports: readonly {
    readonly name: string;
    readonly rpc: number;
    readonly membership: number;
  }[];
  readonly folder: string;
}): object {
  const { main, visibility, ports, folder } = of;
  const services = ports.map(({ name, rpc, membership }) => [
    name,
    { rpc: { grpcPort: rpc, membershipPort: membership, bindOnIP: '127.0.0.1' } },
  ]);
  const frontend = `127.0.0.1:${ports[0]?.rpc}`;
  return {
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      // The number that its own guide gives for small clusters.
      numHistoryShards: 4,
      datastores: { main: { sql: sqlOf(main) }, visibility: { sql: sqlOf(visibility) } },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services) as object,
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: frontend,
        },
      },
    },
    publicClient: { hostPort: frontend },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: join(folder, 'limits.yaml'), pollInterval: '60s' },
  };
}

function sqlOf({ pathname, host, username, password }: URL): object {
  return {
    pluginName: 'postgres12',
    databaseName: pathname.slice(1),
    connectAddr: host,
    connectProtocol: 'tcp',
    user: username,
    password,
    maxConns: 20,
    maxIdleConns: 20,
    maxConnLifetime: '1h',
  };
}

/** Its limits of requests a second are far below what the machine can do. */
const LIMITS = Object.fromEntries(
  [
    'frontend.rps',
    'frontend.namespaceRPS',
    'frontend.persistenceMaxQPS',
    'history.rps',
    'history.persistenceMaxQPS',
    'matching.rps',
    'matching.persistenceMaxQPS',
    'worker.persistenceMaxQPS',
  ].map((name) => [name, [{ value: 100_000 }]]),
);

async function makeNamespace(address: string): Promise<void> {
  const connection = await untilServing(address);
  const { workflowService: service } = connection;
  await service.registerNamespace({
    namespace: NAMESPACE,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  // Every service has its own list of namespaces, which it reads again every few seconds.
  await pollUntil(
    () =>
      service.listOpenWorkflowExecutions({ namespace: NAMESPACE }).then(
        () => true,
        () => false,
      ),
    { what: 'the namespace is known', everyMs: 200, withinMs: READY_MS_MAX },
  );
  await connection.close();
}

async function untilServing(address: string): Promise<Connection> {
  const open: Connection[] = [];
  await pollUntil(
    async () => {
      const connecting = Connection.connect({ address, connectTimeout: 2_000 });
      await connecting.then(
        (connection) => open.push(connection),
        () => undefined,
      );
      return open.length > 0;
    },
    { what: 'the server of Temporal serves', everyMs: 200, withinMs: READY_MS_MAX },
  );
  const [connection] = open;
  if (connection === undefined) throw new Error('the server of Temporal does not serve');
  return connection;
}
