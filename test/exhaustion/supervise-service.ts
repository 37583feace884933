import type { Cluster } from '../cluster/cluster.ts';
import { freePort } from '../support/servers/ports.ts';

/** A process with the API that is started again when it ends, as a supervisor does. */
export interface SupervisedService {
  readonly url: string;
  /** How often it has ended. */
  readonly ends: number;
  /** The output of all its lives. */
  stdout(): string;
  /** Called now and after each later start, with the ids of the processes. */
  onStart(then: (pids: readonly number[]) => void): void;
  /** It may end from now on. */
  release(): Promise<void>;
}

export async function superviseService(
  cluster: Cluster,
  params: { readonly entry: 'svc' | 'svc-api' },
): Promise<SupervisedService> {
  const options = { ...params, port: await freePort() };
  let running = await cluster.startApi(options);
  let then: (pids: readonly number[]) => void = () => undefined;
  let [ends, isReleased, earlier] = [0, false, ''];

  async function keep(): Promise<void> {
    for (;;) {
      await running.exited;
      if (isReleased) return;
      ends += 1;
      earlier += running.stdout();
      running = await cluster.startApi(options);
      then([running.pid]);
    }
  }
  const kept = keep();
  return {
    url: running.url,
    get ends() {
      return ends;
    },
    stdout: () => earlier + running.stdout(),
    onStart(next) {
      then = next;
      then([running.pid]);
    },
    async release() {
      isReleased = true;
      await running.end('SIGTERM');
      await kept;
    },
  };
}
