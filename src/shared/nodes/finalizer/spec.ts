import type { RunOn } from '../../domain/workflow/plan/plan.ts';
import type { ToolSpec } from '../tool/spec.ts';

export interface FinalizerSpec {
  readonly tool: ToolSpec;
  readonly runOn: RunOn;
}
