export {
  createTestRuntime,
  type TestExecution,
  type TestRuntime,
  type TestRuntimeOptions,
} from './create-test-runtime.ts';
export { NotEndedError } from './not-ended-error.ts';
export { replayHistory, type ReplayOptions } from './replay-history.ts';
export type { StepMocks } from './mock-steps.ts';
export type { RecordedEvent, RecordedStep, RecordedUsage } from './recorded-steps.ts';
