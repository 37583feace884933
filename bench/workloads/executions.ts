import { createEngineWaits } from '../support/hand-offs.ts';
import { type EngineVariant, openEngine } from '../support/engine-process.ts';
import { after, createLatencies, inLanes, times, warmUpSeconds } from '../support/lanes.ts';
import { chainOf, createNoopRunner, fanOf } from '../support/noop-kind.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface ExecutionsParams {
  readonly shape: 'chain' | 'fan';
  /** Nodes that are counted as steps. */
  readonly steps: number;
  readonly inFlight: number;
  /** Of the nodes: with an outside effect, or decided by the engine alone. */
  readonly kind: 'noop' | 'pass';
  /** What each execution starts with, and what each step writes, both hard to compress. */
  readonly inputBytes?: number;
  readonly patchBytes?: number;
  readonly variant?: EngineVariant;
}

/**
 * Executions of in-engine nodes, each step durably committed before the next begins: engine and client
 * in one process, the way the libraries of the field are measured.
 */
export async function measure(given: GivenWorkload<ExecutionsParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const { shape, steps, inFlight, kind, inputBytes = 0, patchBytes = 0 } = params;
  const waits = createEngineWaits();
  const patch = patchBytes === 0 ? {} : { note: textOf(patchBytes) };
  // With one in flight the time between two nodes is that of the hand-over alone.
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
    // Hints may come for nothing: an execution that had not ended would count for too much.
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
