import { after, createLatencies, inLanes, times, warmUpSeconds } from '../support/lanes.ts';
import type { GivenWorkload, WindowFigures } from '../support/workload.ts';

export interface PeerParams {
  readonly shape: 'chain' | 'fan';
  readonly steps: number;
  readonly inFlight: number;
}

/**
 * Measures executions of a peer like ours. `used` returns what other processes have used so far.
 */
export async function runPeer(
  given: GivenWorkload<PeerParams>,
  run: () => Promise<unknown>,
  used?: () => number,
): Promise<void> {
  const { params, seconds, window } = given;
  const { steps, inFlight } = params;
  await inLanes(inFlight, times(inFlight), async () => void (await run()));
  await inLanes(inFlight, after(warmUpSeconds(seconds)), async () => void (await run()));
  await window(async (): Promise<WindowFigures> => {
    const usedBefore = used?.() ?? 0;
    const latencies = createLatencies();
    await inLanes(inFlight, after(seconds), () => latencies.time(run));
    const executions = latencies.all().length;
    return {
      units: executions * steps,
      executions,
      ...latencies.summary(),
      rssMiB: null,
      ...(used !== undefined && { storeCpuMicros: used() - usedBefore }),
    };
  });
}

/**
 * For peers whose clients seldom poll for an end. The execution with a number counts as ended when
 * its function reports so. That is before the end is durable, which favours the peer. The caller
 * starts more executions than run at a time, so a worker always finds one when it polls.
 */
export function createEnds() {
  const waiting = new Map<number, () => void>();
  let last = 0;
  return {
    ended: (number: number): void => waiting.get(number)?.(),
    async run(start: (number: number) => Promise<unknown>): Promise<void> {
      const number = (last += 1);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(number, resolve);
      await start(number);
      await promise;
      waiting.delete(number);
    },
  };
}

/** Lanes per execution that runs at a time. */
export const BACKLOG = 4;

export function stepNumbers({ steps }: PeerParams): readonly number[] {
  return [...Array(steps).keys()];
}
