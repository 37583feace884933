import type { Started } from '../support/processes.ts';

/** A process that can be killed, and is then replaced by a new one. */
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
    /** Called if the process ends without a kill, or does not start. */
    readonly onTrouble: (saw: string) => void;
  }) {
    this.name = given.name;
    this.#start = given.start;
    this.#onTrouble = given.onTrouble;
  }

  /** Resolves when the process is ready. */
  start(): Promise<void> {
    this.#starting ??= this.#bringUp().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Kills and restarts the process; false if it is not running. */
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

  /** Stops the process for `ms` without its notice. */
  freeze(ms: number): boolean {
    const started = this.#started;
    if (started === null || this.#isClosed) return false;
    process.kill(started.pid, 'SIGSTOP');
    setTimeout(() => {
      // The process may have been killed meanwhile.
      if (this.#started === started) process.kill(started.pid, 'SIGCONT');
    }, ms);
    return true;
  }

  /** The output of all its processes. */
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
          `${this.name} ended without a kill, with ${how}: ${started.stderr().slice(-2000)}`,
        );
      });
    } catch (error) {
      this.#onTrouble(`${this.name} did not start: ${String(error)}`);
    }
  }
}
