import type { FunctionContext, StepContext, StepOptions } from '../functions/context.ts';
import { linkAbort } from '../link-abort.ts';
import { attemptError, callError } from './errors.ts';
import { fromRecorded, toRecorded } from './recorded-json.ts';
import { reportUsage, usageIn } from './report-usage.ts';
import { collectParts, streamOf } from './stream-parts.ts';

/** The options of a model call that this module reads. */
export interface ModelCall {
  readonly abortSignal?: AbortSignal | undefined;
}

/** The parts of a model's result that this module reads; it keeps no HTTP headers or bodies. */
export interface ModelResult {
  readonly request?: object | undefined;
  readonly response?: object | undefined;
  readonly usage?: unknown;
}

export interface ModelStreamPart {
  readonly type: string;
}

export interface ModelStreamResult {
  readonly stream: ReadableStream<ModelStreamPart>;
}

/** A language model of the AI SDK: `LanguageModelV3` of version 6, `LanguageModelV4` of version 7. */
export interface LanguageModelLike {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(call: ModelCall): PromiseLike<ModelResult>;
  doStream(call: ModelCall): PromiseLike<ModelStreamResult>;
}

export interface DurableModelOptions extends StepOptions {
  /** The name of the steps: `model`, `model#2` and so on. Default: `model`. */
  readonly name?: string;
}

/**
 * Gives the same model, whose calls are steps of the function: recorded once, with content, usage and
 * finish reason, and answered from the journal afterwards. A streamed call is recorded when it is
 * complete, and its parts come then. Errors that the provider calls permanent are not retried; for
 * others the retry policy of the step counts, and not `maxRetries` of the AI SDK. The tokens of each
 * call count towards the budgets of the workflow.
 *
 * A call rejects with a StepError after the last attempt, and with a BudgetExceededError when a budget
 * allows no further call.
 */
export function durableModel<Model extends LanguageModelLike>(
  ctx: FunctionContext,
  model: Model,
  options: DurableModelOptions = {},
): Model {
  const { name = 'model', ...stepOptions } = options;
  const record = async <Result>(call: ModelCall, ask: Ask<Result>): Promise<Result> => {
    try {
      const ran = ctx.step(name, (step) => askWith(step, { call, ask }), stepOptions);
      // A round trip through JSON, with what JSON lacks.
      return fromRecorded(await ran) as Result;
    } catch (error) {
      throw callError(error);
    }
  };
  const durable: Pick<LanguageModelLike, 'doGenerate' | 'doStream'> = {
    doGenerate: (given) =>
      record(given, async (call, step) => {
        const result = await model.doGenerate(call);
        reportUsage(step, { model: model.modelId, usage: result.usage });
        return withoutHttp(result);
      }),
    doStream: async (given) => {
      const { parts } = await record(given, async (call, step) => {
        const { stream } = await model.doStream(call);
        const all = await collectParts(stream);
        reportUsage(step, { model: model.modelId, usage: usageIn(all) });
        return { parts: all };
      });
      return { stream: streamOf(parts) };
    },
  };
  return new Proxy(model, {
    get: (target, key): unknown => {
      if (Object.hasOwn(durable, key)) return Reflect.get(durable, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

type Ask<Result> = (call: ModelCall, step: StepContext) => Promise<Result>;

/** Asks the provider once, under the signals of the step and of the caller. */
async function askWith<Result>(
  step: StepContext,
  { call, ask }: { readonly call: ModelCall; readonly ask: Ask<Result> },
): Promise<unknown> {
  const link = linkAbort([step.signal, call.abortSignal]);
  try {
    return toRecorded(await ask({ ...call, abortSignal: link.signal }, step));
  } catch (error) {
    throw attemptError(error, call.abortSignal);
  } finally {
    link.unlink();
  }
}

/** The request has the whole conversation again, and headers may have secrets. */
function withoutHttp(result: ModelResult): ModelResult {
  const { request: _request, response, ...others } = result;
  if (response === undefined) return others;
  const kept = Object.entries(response).filter(([key]) => key !== 'headers' && key !== 'body');
  return { ...others, response: Object.fromEntries(kept) };
}
