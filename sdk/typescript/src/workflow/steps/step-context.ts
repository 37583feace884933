import { createRef, type Ref } from '../expression.ts';
import type { AnyShape, Shape } from '../shape.ts';
import { agentSteps, type AgentSteps } from './agent-steps.ts';
import { createChildSteps, type ChildSteps } from './child-steps.ts';
import { controlSteps, type ControlSteps } from './control-steps.ts';
import { modelSteps, type ModelSteps } from './model-steps.ts';
import { policySteps, type PolicySteps } from './policy-steps.ts';
import { finalizerSteps, toolSteps, type FinalizerSteps, type ToolSteps } from './tool-steps.ts';
import { waitingSteps, type WaitingSteps } from './waiting-steps.ts';
import { workerSteps, type WorkerSteps } from './worker-steps.ts';

/** Values that expressions can read. */
export interface Values<S extends Shape> {
  readonly state: Ref<S['state']>;
  /** The input of the execution. */
  readonly input: Ref<S['input']>;
  /** The output of the step that just ended. */
  readonly output: Ref<unknown>;
  readonly execution: Ref<ExecutionFacts>;
}

export interface ExecutionFacts {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
}

/** The parts of a step: the values that it may read, and every kind of step. */
export interface StepContext<S extends Shape>
  extends
    Values<S>,
    ControlSteps<S>,
    WaitingSteps<S>,
    WorkerSteps<S>,
    ToolSteps<S>,
    ModelSteps<S>,
    AgentSteps<S>,
    PolicySteps<S>,
    ChildSteps<S, ItemContext<S>> {}

/** The parts of the step of a map, beside its item. */
export interface ItemContext<S extends Shape>
  extends
    Values<S>,
    Pick<ControlSteps<S>, 'pass'>,
    WorkerSteps<S>,
    ToolSteps<S>,
    Pick<ModelSteps<S>, 'model'>,
    AgentSteps<S>,
    PolicySteps<S>,
    Pick<ChildSteps<S, unknown>, 'subgraph'> {}

/** The parts of a finalizer. */
export interface FinalizerContext<S extends Shape>
  extends Omit<Values<S>, 'execution'>, FinalizerSteps<S> {
  readonly execution: Ref<ExecutionFacts & EndFacts>;
}

/** How the execution ended. */
export interface EndFacts {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  readonly error: string | null;
}

const values = {
  state: createRef<AnyShape['state']>('state'),
  input: createRef<unknown>('input'),
  output: createRef<unknown>('output'),
};

export const STEP_CONTEXT: StepContext<AnyShape> = {
  ...values,
  execution: createRef<ExecutionFacts>('execution'),
  ...controlSteps,
  ...waitingSteps,
  ...workerSteps,
  ...toolSteps,
  ...modelSteps,
  ...agentSteps,
  ...policySteps,
  ...createChildSteps<ItemContext<AnyShape>>(() => STEP_CONTEXT),
};

export const FINALIZER_CONTEXT: FinalizerContext<AnyShape> = {
  ...values,
  execution: createRef<ExecutionFacts & EndFacts>('execution'),
  ...finalizerSteps,
};
