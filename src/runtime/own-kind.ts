import type { NodeKind } from '../shared/domain/workflow/plan/plan.ts';
import type { NodeRunner } from '../shared/nodes/run.ts';

/** A kind of node that a program adds; without a runner, workers or the kind itself do its work. */
export interface OwnKind {
  readonly kind: NodeKind<unknown>;
  readonly runner?: NodeRunner;
}
