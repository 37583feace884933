import { createEngineWaits } from '../support/hand-offs.ts';
import { type EngineVariant, openEngine } from '../support/engine-process.ts';
import { after, createLatencies, inLanes, times, warmUpSeconds } from '../support/lanes.ts';
import { chainOf, createNoopRunner, fanOf } from '../support/noop-kind.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface ExecutionsParams {
  readonly shape: 'chain' | 'fan';
  /** Nodes that count as steps. */
  readonly steps: number;
  readonly inFlight: number;
  /** The kind of the nodes: with an outside effect, or decided by the engine alone. */
  readonly kind: 'noop' | 'pass';
  /** Sizes of each execution's input and of each step's patch; both compress badly. */
  readonly inputBytes?: number;
  readonly patchBytes?: number;
  readonly variant?: EngineVariant;
}

/**
 * Executions of in-engine nodes; each step is durably committed before the next begins. Engine and
 * client share one process, which is how other libraries are measured.
 */
export async function measure(given: GivenWorkload<ExecutionsParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const { shape, steps, inFlight, kind, inputBytes = 0, patchBytes = 0 } = params;
  const waits = createEngineWaits();
  const patch = patchBytes === 0 ? {} : { note: textOf(patchBytes) };
  // With one execution in flight, the time between two nodes is that of the hand-off alone.
  const runner = createNoopRunner(patch, inFlight === 1 ? waits : {});
  const engine = await openEngine({
    database,
    runner,
    ...(params.variant !== undefined && { variant: params.variant }),
  });
  await engine.register('bench', (shape === 'chain' ? chainOf : fanOf)(steps, kind));
  engine.startScheduler();
  const input = inputBytes === 0 ? {} : { blob: textOf(inputBytes) };
  await inLanes(inFlight, times(inFlight), () => engine.run('bench', input));
  await inLanes(inFlight, after(warmUpSeconds(seconds)), () => engine.run('bench', input));
  waits.reset();
  await window(async () => {
    const latencies = createLatencies();
    const endedBefore = engine.ended();
    await inLanes(inFlight, after(seconds), () => latencies.time(() => engine.run('bench', input)));
    const executions = latencies.all().length;
    // A hint may be spurious: an execution that has not ended would then count.
    const ended = engine.ended() - endedBefore;
    if (ended !== executions) throw new Error(`${ended} executions ended, not ${executions}`);
    return {
      units: executions * steps,
      executions,
      ...latencies.summary(),
      extra: { ...waits.summary(), commit_refusals: engine.refused() },
    };
  });
  await engine.close();
}

function textOf(bytes: number): string {
  let text = '';
  while (text.length < bytes) text += Math.random().toString(36).slice(2);
  return text.slice(0, bytes);
}
