/**
 * The runtime for tests: `openTestRuntime` runs the engine in memory, on a clock that the test turns.
 * `svc-sdk/testing` builds on it.
 */
export { openTestRuntime, type TestRuntime, type TestRuntimeOptions } from './open-test-runtime.ts';
