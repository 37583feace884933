/** The interface of workflow definitions for the rest of the program. */
export { compilePlan } from './plan/compile-plan.ts';
export type { KindRegistry } from './kind-registry.ts';
export type { NormalisedIr } from './parse/normalise-ir.ts';
export type { Problem, Warning } from './problem.ts';
export { inspectWorkflow, type InspectedWorkflow } from './inspect-workflow.ts';
export { readWorkflow, type ReadWorkflow } from './parse/read-workflow.ts';
