import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { SERVER_OPTIONS } from '../../../bin/launch/launch.js';
import type { Orders, Reached } from '../preload/failpoints.ts';

export type MemberKind = 'api' | 'scheduler' | 'worker' | 'cleaner';

export interface MemberParams {
  readonly name: string;
  readonly kind: MemberKind;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Contains its log, its orders and its reached places. */
  readonly folder: string;
  readonly isReady: () => Promise<boolean>;
  /** It ends when its work is done, and starts again after this time. */
  readonly againAfterMs?: number;
  readonly onUnexpectedEnd: (member: Member, how: string) => void;
}

const PRELOAD = new URL('../preload/failpoints.ts', import.meta.url);
const LOOK_EVERY_MS = 100;
const RESTART_AFTER_MS = 500;

/**
 * A process of the service, or a worker of it, that restarts on the same port when it ends. Its
 * output goes to a file.
 */
export class Member {
  readonly name: string;
  readonly kind: MemberKind;
  readonly #params: MemberParams;
  #child: ChildProcess | null = null;
  /** The number of places that its earlier lives have reached. */
  #reachedBefore = 0;
  #wasReady = false;
  /** The fault that killed it also restarts it. */
  #isHeldDown = false;
  /** A restart may precede the news of its end. */
  #toldToEnd: ChildProcess | null = null;
  #isClosed = false;

  constructor(params: MemberParams) {
    this.name = params.name;
    this.kind = params.kind;
    this.#params = params;
    mkdirSync(join(params.folder, params.name), { recursive: true });
  }

  /** The pid of its current life; null between two lives. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get isUp(): boolean {
    return this.#child !== null && this.#wasReady;
  }

  /** Starts it unless it runs; does not wait. */
  start(): void {
    this.#isHeldDown = false;
    if (this.#child !== null || this.#isClosed) return;
    const { name, kind, folder, program, args, env } = this.#params;
    // The product starts itself with the same options. The launcher would replace its process.
    const options = kind === 'api' || kind === 'scheduler' ? SERVER_OPTIONS : [];
    const preload = new URL(PRELOAD);
    preload.searchParams.set('folder', folder);
    preload.searchParams.set('name', name);
    const log = openSync(this.logFile, 'a');
    const child = spawn(
      process.execPath,
      [...options, '--import', preload.href, program, ...args],
      {
        cwd: join(folder, name),
        env: { ...cleanEnvironment(), ...env },
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
    this.#child = child;
    this.#wasReady = false;
    this.#reachedBefore = this.reached().length;
    child.once('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, `${code ?? signal}`));
    void this.#noticeReady(child);
  }

  /** Resolves with false when it is not ready in time. */
  async waitUntilReady(withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (!this.isUp && performance.now() < deadline) await delay(LOOK_EVERY_MS);
    return this.isUp;
  }

  /** Sends a signal, if it runs. After a signal that ends it, it stays down until `start`. */
  signal(signal: NodeJS.Signals): boolean {
    if (signal === 'SIGKILL' || signal === 'SIGTERM') {
      this.#isHeldDown = true;
      this.#toldToEnd = this.#child;
    }
    return this.#child?.kill(signal) ?? false;
  }

  /** Writes its next orders. */
  order(orders: Orders): void {
    writeFileSync(join(this.#params.folder, `${this.name}.orders.json`), JSON.stringify(orders));
    if (this.isUp) this.#child?.kill('SIGUSR2');
  }

  /** Revokes its orders. */
  relieve(): void {
    this.order({});
  }

  /** Resolves when its current life is over. */
  async ended(): Promise<void> {
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      await once(child, 'exit');
    }
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** Whether it can receive orders. */
  get hasLoaded(): boolean {
    const pid = this.#child?.pid;
    return this.reached().some((line) => 'loaded' in line && line.loaded === pid);
  }

  reached(): readonly Reached[] {
    try {
      const text = readFileSync(join(this.#params.folder, `${this.name}.reached.jsonl`), 'utf8');
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Reached);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  get logFile(): string {
    return join(this.#params.folder, `${this.name}.log`);
  }

  /** Adds a line to its log, between the lines that it prints. */
  note(text: string): void {
    appendFileSync(this.logFile, `=== ${text}\n`);
  }

  /** Ends it permanently. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Kills it at once, when the run itself ends. */
  kill(): void {
    this.#isClosed = true;
    this.#child?.kill('SIGKILL');
  }

  async #noticeReady(child: ChildProcess): Promise<void> {
    while (this.#child === child && !this.#wasReady) {
      const isReady = await this.#params.isReady().catch(() => false);
      if (isReady && this.#child === child) this.#wasReady = true;
      else await delay(LOOK_EVERY_MS);
    }
  }

  /**
   * Whether an order in its current life explains this end. V8 usually ends only the thread that is
   * out of memory, and sometimes the whole process.
   */
  #wasOrdered(how: string): boolean {
    return this.reached()
      .slice(this.#reachedBefore)
      .some(
        (one) =>
          'hit' in one || ('threadEnds' in one && one.threadEnds === 'memory' && how === 'SIGABRT'),
      );
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    const wasReady = this.#wasReady;
    this.#child = null;
    this.#wasReady = false;
    this.note(`ended: ${how}`);
    if (this.#isHeldDown || this.#isClosed) return;
    const wasTold = this.#toldToEnd === child;
    const { againAfterMs, onUnexpectedEnd } = this.#params;
    // A command whose database is down reports that and ends. While it ends, an order finds nobody who listens.
    const isDone = againAfterMs !== undefined && ['0', '1', 'SIGUSR2'].includes(how);
    if (wasReady && !isDone && !wasTold && !this.#wasOrdered(how)) onUnexpectedEnd(this, how);
    // A service manager would do the same.
    setTimeout(() => this.start(), againAfterMs ?? RESTART_AFTER_MS);
  }
}

/** Only the run configures the process; its own environment must not. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const configures = /^(SVC_|TEST_|OTEL_|PG|DATABASE_URL$|NODE_OPTIONS$|LD_PRELOAD$|.*_API_KEY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !configures.test(name)));
}
