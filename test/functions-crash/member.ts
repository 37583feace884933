import type { Started } from '../support/processes.ts';

/** A process that is killed and started again, in its place. */
export class Member {
  readonly name: string;
  readonly #start: () => Promise<Started>;
  readonly #onTrouble: (saw: string) => void;
  #started: Started | null = null;
  #starting: Promise<void> | null = null;
  #isClosed = false;
  #log = '';

  constructor(given: {
    readonly name: string;
    readonly start: () => Promise<Started>;
    /** Called when the process ends by itself, or does not start. */
    readonly onTrouble: (saw: string) => void;
  }) {
    this.name = given.name;
    this.#start = given.start;
    this.#onTrouble = given.onTrouble;
  }

  /** Resolves when it is ready. */
  start(): Promise<void> {
    this.#starting ??= this.#bringUp().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Kills and restarts it; false when it is not up. */
  kill(): boolean {
    const started = this.#started;
    if (started === null || this.#isClosed) return false;
    this.#started = null;
    void started.end('SIGKILL').then(() => {
      this.#log += started.stderr() + started.stdout();
      return this.start();
    });
    return true;
  }

  /** Stops it for so long, without its knowing. */
  freeze(ms: number): boolean {
    const started = this.#started;
    if (started === null || this.#isClosed) return false;
    process.kill(started.pid, 'SIGSTOP');
    setTimeout(() => {
      // It may have been killed since.
      if (this.#started === started) process.kill(started.pid, 'SIGCONT');
    }, ms);
    return true;
  }

  /** All that its processes printed. */
  log(): string {
    return this.#log + (this.#started?.stderr() ?? '') + (this.#started?.stdout() ?? '');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
    const started = this.#started;
    if (started === null) return;
    this.#started = null;
    this.#log += started.stderr() + started.stdout();
    await started.end('SIGKILL');
  }

  async #bringUp(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const started = await this.#start();
      this.#started = started;
      void started.exited.then((how) => {
        if (this.#started !== started) return;
        this.#started = null;
        this.#onTrouble(
          `${this.name} ended by itself with ${how}: ${started.stderr().slice(-2000)}`,
        );
      });
    } catch (error) {
      this.#onTrouble(`${this.name} did not start: ${String(error)}`);
    }
  }
}
