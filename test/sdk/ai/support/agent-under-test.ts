import test, { type ExecutionContext } from 'ava';

import { createTestRuntime, type TestExecution, type TestRuntime } from 'svc-sdk/testing';
import {
  defineFunction,
  type DurableFunction,
  type FunctionContext,
  type FunctionOptions,
} from 'svc-sdk/worker';

import { startFakeProvider, type FakeProvider } from './fake-provider.ts';
import { major6 } from './major-6.ts';
import { major7 } from './major-7.ts';
import type { AgentAnswer, AgentParams, Major } from './major.ts';

/** Declares a test for each major version of the AI SDK. */
export function withEachMajor(
  title: string,
  run: (t: ExecutionContext, major: Major) => Promise<void>,
): void {
  for (const major of [major6, major7]) test(`${title} (${major.name})`, (t) => run(t, major));
}

export interface AgentUnderTest {
  readonly provider: FakeProvider;
  readonly runtime: TestRuntime;
  readonly agent: DurableFunction<object, AgentAnswer>;
  readonly execution: TestExecution<AgentAnswer>;
  /** The tool calls, as `weather Rome`. */
  readonly effects: readonly string[];
  readonly keys: readonly string[];
  /** The names of the recorded entries. */
  names(): Promise<readonly string[]>;
}

interface Given extends Partial<Omit<AgentParams, 'ctx' | 'url'>> {
  readonly answer: Parameters<typeof startFakeProvider>[0];
  /** Default: `generate`. */
  readonly ask?: (params: AgentParams) => Promise<AgentAnswer>;
  readonly options?: Pick<FunctionOptions<object, AgentAnswer>, 'workflow'>;
}

/** Runs an agent whose function then sleeps for a day, so that each test replays the whole loop. */
export async function runAgent(
  t: ExecutionContext,
  major: Major,
  given: Given,
): Promise<AgentUnderTest> {
  const { answer, act, ask = (params) => major.generate(params), options, ...params } = given;
  const provider = await startFakeProvider(answer);
  t.teardown(() => provider.close());
  const effects: string[] = [];
  const keys: string[] = [];
  const run = async (ctx: FunctionContext) => {
    const result = await ask({
      ...params,
      ctx,
      url: provider.url,
      act: (tool, call) => {
        effects.push(`${tool} ${call.input}`);
        keys.push(call.key);
        return act?.(tool, call) ?? { done: call.input };
      },
    });
    await ctx.sleep('1d');
    return result;
  };
  const agent = defineFunction<object, AgentAnswer>('agent', run, options);
  const runtime = await createTestRuntime({ functions: [agent] });
  t.teardown(() => runtime.stop());
  const execution = await runtime.start(agent, {});
  await runtime.settle();
  const names = async () => (await execution.steps()).map(({ name }) => name);
  return { provider, runtime, agent, execution, effects, keys, names };
}
