import type { Mapping } from '../../domain/expression/mapping.ts';

export interface SubgraphSpec {
  readonly workflowId: string;
  /** Null: the version registered last. */
  readonly version: string | null;
  /** Null: the child's last state as it is. */
  readonly output: Mapping | null;
  readonly onChildFailure: 'fail' | 'complete';
}
