import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { migrateDatabase } from '../../../src/shared/store/opening/migrate.ts';
import { sendRequest } from '../../support/http.ts';
import { freePort } from '../../support/servers/ports.ts';
import { RUNTIME_SETTINGS } from '../clients/runtime-settings.ts';
import { Line } from '../proxy/line.ts';
import { createClocks, type Clocks } from './clocks.ts';
import { Member, type MemberKind, type MemberParams } from './member.ts';
import { ChaosPostgres, type ClusterDatabase } from './postgres.ts';

/*
 * The cluster that faults strike: two processes with the API, two with the scheduler, four workers
 * of tools, two workers of durable functions, a command that removes old executions repeatedly, and
 * one PostgreSQL server. Each connects to another through its own line, which can fail.
 */

const LEASE_SECONDS = '3';
const ANSWER_MS_MAX = 2_000;
const WORKER = fileURLToPath(new URL('../../../examples/workers/node/main.ts', import.meta.url));
const FUNCTIONS = fileURLToPath(new URL('../clients/function-worker.ts', import.meta.url));
const HANDLERS = fileURLToPath(new URL('../clients/worker-handlers.ts', import.meta.url));

export interface UnexpectedEnd {
  readonly member: string;
  readonly how: string;
  readonly log: string;
}

export class ChaosCluster {
  readonly apiKey = `key-${randomBytes(24).toString('base64url')}`;
  readonly folder: string;
  /** Retention archives executions here before it removes them. */
  readonly archives: string;
  readonly database: ClusterDatabase;
  readonly clocks: Clocks;
  readonly members: Member[] = [];
  readonly lines: Line[] = [];
  /** Lines from the clients to each API. */
  readonly clientLines: Line[] = [];
  /** Ends of processes that the run did not cause. */
  readonly unexpectedEnds: UnexpectedEnd[] = [];
  readonly #apiPorts: number[] = [];

  static async start(
    folder: string,
    { hasOwnDisks }: { readonly hasOwnDisks: boolean },
  ): Promise<ChaosCluster> {
    mkdirSync(folder, { recursive: true });
    const postgres = await ChaosPostgres.create(join(folder, 'postgres'), { hasOwnDisks });
    return ChaosCluster.startOn(folder, postgres);
  }

  static async startOn(folder: string, database: ClusterDatabase): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(folder, database);
    try {
      const { SVC_DATABASE_URL: url = '' } = database.settingsThrough('migration', database.ports);
      await migrateDatabase({ url });
      for (const number of [1, 2]) await cluster.#addApi(number);
      for (const number of [1, 2]) await cluster.#addScheduler(number);
      for (const number of [1, 2, 3, 4]) {
        await cluster.#addWorker(number, { role: 'worker', program: WORKER, args: [HANDLERS] });
      }
      for (const number of [1, 2]) {
        await cluster.#addWorker(number, { role: 'functions', program: FUNCTIONS, args: [] });
      }
      await cluster.#addCleaner();
      const late = await cluster.startAll(READY_MS_MAX);
      if (late.length > 0) {
        throw new Error(`${late.join(', ')} did not start: see their logs in ${folder}`);
      }
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  private constructor(folder: string, database: ClusterDatabase) {
    this.folder = folder;
    this.archives = join(folder, 'archives');
    this.database = database;
    this.clocks = createClocks(folder);
  }

  /** For faults of one server. */
  get postgres(): ChaosPostgres {
    if (this.database instanceof ChaosPostgres) return this.database;
    throw new Error('the database of this cluster has several servers');
  }

  get urls(): readonly string[] {
    return this.clientLines.map(({ url }) => url);
  }

  /** Direct URLs, which bypass all faults of lines. */
  get directUrls(): readonly string[] {
    return this.#apiPorts.map((port) => `http://127.0.0.1:${port}`);
  }

  membersOf(...kinds: readonly MemberKind[]): readonly Member[] {
    return this.members.filter(({ kind }) => kinds.includes(kind));
  }

  /** Starts every stopped process, and returns the names of those that are not ready in time. */
  async startAll(withinMs: number): Promise<readonly string[]> {
    for (const member of this.members) member.start();
    const ready = await Promise.all(
      this.members.map(async (member) => ({
        name: member.name,
        isReady: await member.waitUntilReady(withinMs),
      })),
    );
    return ready.filter(({ isReady }) => !isReady).map(({ name }) => name);
  }

  readLogs(): Readonly<Record<string, string>> {
    const files = [...this.members.map(({ logFile }) => logFile), ...this.database.logFiles];
    return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
    await Promise.all(this.lines.map((line) => line.close()));
    await this.database.close();
  }

  /** Kills everything at once, when a signal ends the run itself. */
  kill(): void {
    for (const member of this.members) member.kill();
  }

  async #addApi(number: number): Promise<void> {
    const name = `api-${number}`;
    const port = await freePort();
    this.#apiPorts.push(port);
    const database = await this.#databaseSettings(name);
    this.#addMember({
      name,
      kind: 'api',
      program: programOf('svc-api'),
      args: ['--port', String(port)],
      env: {
        ...SERVICE_SETTINGS,
        ...database,
        SVC_AUTH_API_KEY: this.apiKey,
        SVC_TELEMETRY_METRICS_PORT: 'off',
      },
      isReady: () => answers(port),
    });
    const line = await Line.open({ name: `clients→${name}`, protocol: 'http', targetPort: port });
    this.lines.push(line);
    this.clientLines.push(line);
  }

  async #addScheduler(number: number): Promise<void> {
    const name = `scheduler-${number}`;
    const port = await freePort();
    const database = await this.#databaseSettings(name);
    this.#addMember({
      name,
      kind: 'scheduler',
      program: programOf('svc-scheduler'),
      args: [],
      env: { ...SERVICE_SETTINGS, ...database, SVC_TELEMETRY_METRICS_PORT: String(port) },
      isReady: () => answers(port),
    });
  }

  async #addWorker(
    number: number,
    { role, program, args }: { readonly role: string } & Pick<MemberParams, 'program' | 'args'>,
  ): Promise<void> {
    const name = `${role}-${number}`;
    const api = number % this.#apiPorts.length;
    const line = await Line.open({
      name: `${name}→api-${api + 1}`,
      protocol: 'http',
      targetPort: this.#apiPorts[api] ?? 0,
    });
    this.lines.push(line);
    const member: Member = this.#addMember({
      name,
      kind: 'worker',
      program,
      args,
      env: {
        SVC_URL: line.url,
        SVC_TOKEN: this.apiKey,
        WORKER_ID: name,
        WORKER_CONCURRENCY: '4',
      },
      isReady: () => Promise.resolve(member.hasLoaded),
    });
  }

  async #addCleaner(): Promise<void> {
    const name = 'cleaner';
    const database = await this.#databaseSettings(name);
    const member: Member = this.#addMember({
      name,
      kind: 'cleaner',
      program: programOf('svc'),
      args: ['retention', 'run'],
      env: { ...SERVICE_SETTINGS, ...database },
      isReady: () => Promise.resolve(member.hasLoaded),
      againAfterMs: CLEANED_EVERY_MS,
    });
  }

  async #databaseSettings(name: string): Promise<Readonly<Record<string, string>>> {
    const lines = await Promise.all(
      this.database.ports.map((targetPort, index) =>
        Line.open({
          name: `${name}→postgres${index === 0 ? '' : `-${index + 1}`}`,
          protocol: 'postgres',
          targetPort,
        }),
      ),
    );
    this.lines.push(...lines);
    return this.database.settingsThrough(
      name,
      lines.map(({ port }) => port),
    );
  }

  #addMember(
    params: Omit<ConstructorParameters<typeof Member>[0], 'folder' | 'onUnexpectedEnd'>,
  ): Member {
    const member = new Member({
      ...params,
      env: {
        SVC_RETENTION_ARCHIVE_DIR: this.archives,
        ...params.env,
        ...this.clocks.environmentOf(params.name),
      },
      folder: this.folder,
      onUnexpectedEnd: ({ name, logFile }, how) =>
        this.unexpectedEnds.push({ member: name, how, log: logFile }),
    });
    this.members.push(member);
    return member;
  }
}

const READY_MS_MAX = 60_000;
const CLEANED_EVERY_MS = 4_000;
const SERVICE_SETTINGS = {
  SVC_SCHEDULER_LEASE_SECONDS: LEASE_SECONDS,
  SVC_DATABASE_POOL_SIZE: '6',
  SVC_DATABASE_MAX_OVERFLOW: '2',
  SVC_RETENTION_COMPLETED_DAYS: '1',
  SVC_RETENTION_FAILED_DAYS: '2',
  SVC_RETENTION_CANCELLED_DAYS: '1',
  ...RUNTIME_SETTINGS,
};

function programOf(entry: 'svc' | 'svc-api' | 'svc-scheduler'): string {
  return fileURLToPath(new URL(`../../../bin/${entry}.ts`, import.meta.url));
}

/** Says nothing about the database: a process that waits for it answers, too. */
async function answers(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const { status } = await sendRequest(`http://127.0.0.1:${port}`, { path: '/health', signal });
  return status === 200;
}
