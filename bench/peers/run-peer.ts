import { after, createLatencies, inLanes, times } from '../support/lanes.ts';
import type { GivenWorkload, WindowFigures } from '../support/workload.ts';

export interface PeerParams {
  readonly shape: 'chain' | 'fan';
  readonly steps: number;
  readonly inFlight: number;
}

/** Executions of a peer, measured as ours are. `used`: what other processes have used so far. */
export async function runPeer(
  given: GivenWorkload<PeerParams>,
  run: () => Promise<unknown>,
  used?: () => number,
): Promise<void> {
  const { params, seconds, window } = given;
  const { steps, inFlight } = params;
  await inLanes(inFlight, times(inFlight), async () => void (await run()));
  await inLanes(inFlight, after(seconds / 3), async () => void (await run()));
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

export function stepNumbers({ steps }: PeerParams): readonly number[] {
  return [...Array(steps).keys()];
}
