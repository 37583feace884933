import type { WorkerQueue } from '../domain/work/work-item.ts';
import type { EnterContext, Entry, NodeKind } from '../domain/workflow/plan/plan.ts';
import type { NodePorts } from './ports.ts';
import type { NodeRunner } from './run.ts';

/**
 * A kind of node with everything that depends on its spec: `parse` makes the spec, `enter` and
 * `runner` read it. A kind that enters work on the `engine` queue without a runner does not compile.
 */
export type RunnableKind<Spec, Ports = NodePorts> = EngineKind<Spec, Ports> | WorkerKind<Spec>;

/** The engine runs its work, or part of it. */
export interface EngineKind<Spec, Ports> extends NodeKind<Spec> {
  /** `Ports`: what the runner needs from outside. A process creates each runner once. */
  readonly runner: (ports: Ports) => NodeRunner<Spec>;
}

/** It has no work, or workers do all of it. */
export interface WorkerKind<Spec> extends NodeKind<Spec> {
  readonly runner?: undefined;
  enter(spec: Spec, context: EnterContext): Entry<WorkerQueue>;
}
