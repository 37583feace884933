import type { NodeRunner, NodeRunners } from './run.ts';
import type { RunnableKind } from './runnable-kind.ts';

/** Creates the runner of each kind whose work the engine runs. */
export function createRunners<Ports>(
  kinds: readonly RunnableKind<unknown, Ports>[],
  ports: Ports,
): NodeRunners {
  const runners = new Map<string, NodeRunner>();
  for (const { type, runner } of kinds) {
    if (runner !== undefined) runners.set(type, runner(ports));
  }
  return runners;
}
