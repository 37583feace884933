import type { FunctionContext, StepContext } from '../functions/context.ts';
import type { ServedFunction } from '../functions/define-function.ts';

/** Code to run in place of a step, by the name that `ctx.step` gives it. */
export type StepMocks = Readonly<Record<string, (step: StepContext) => unknown>>;

/** The same function, with other code in the steps that are named. */
export function mockSteps(served: ServedFunction, mocks: StepMocks): ServedFunction {
  return { ...served, run: (ctx, input) => served.run(withMocks(ctx, mocks), input) };
}

function withMocks(ctx: FunctionContext, mocks: StepMocks): FunctionContext {
  const step: FunctionContext['step'] = <Result>(
    name: string,
    run: (step: StepContext) => Result | Promise<Result>,
    options?: Parameters<FunctionContext['step']>[2],
  ) => {
    // The types cannot show that the result of a mock is that of its step.
    const mock = mocks[name] as typeof run | undefined;
    return ctx.step(name, mock ?? run, options);
  };
  const branch = (given: unknown): unknown =>
    typeof given === 'function'
      ? (inner: FunctionContext) =>
          (given as (ctx: FunctionContext) => unknown)(withMocks(inner, mocks))
      : given;
  const combined: Record<string, unknown> = {
    step,
    all: (branches: readonly unknown[]) => ctx.all(branches.map(branch) as never),
    race: (branches: readonly unknown[]) => ctx.race(branches.map(branch) as never),
  };
  return new Proxy(ctx, {
    get: (target, key) => {
      if (typeof key === 'string' && Object.hasOwn(combined, key)) return combined[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
