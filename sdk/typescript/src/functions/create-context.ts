import { requireJson } from '../worker/errors.ts';
import { checkLabels } from '../worker/labels.ts';
import { bindLogger } from '../worker/logger.ts';
import { runAll, runMap, runRace, type Fork } from './branches.ts';
import {
  APPROVAL,
  checkOptions,
  CHILD,
  EVENT,
  MAP,
  RETRY,
  STEP,
  type ApprovalOptions,
  type EventOptions,
} from './call-options.ts';
import type { ApprovalDecision, ChildOptions, FunctionContext, StepOptions } from './context.ts';
import { deriveKey, deriveRandom, deriveUuid } from './derive.ts';
import { readDuration, type Duration } from '../duration.ts';
import { ContinueAsNewError } from './errors.ts';
import type { Wait, WaitKind } from './journal.ts';
import { checkName, places, type Scope } from './scope.ts';
import { runStep } from './run-step.ts';
import type { Compensations } from './rollback.ts';
import type { TurnTools } from './turn-tools.ts';

/** The facts in a context about the item for which the function runs. */
export type ItemFacts = Pick<
  FunctionContext,
  'executionId' | 'nodeId' | 'turn' | 'attempt' | 'idempotencyKey' | 'traceparent'
>;

const CONCURRENCY = 10;

/** The context of a turn. Its calls know by where they run which branch they belong to. */
export function createContext(
  tools: TurnTools,
  given: { readonly facts: ItemFacts; readonly root: Scope; readonly compensations: Compensations },
): FunctionContext {
  const { turn } = tools;
  const at = (name: string): Scope => {
    checkName(name);
    const place = places.getStore();
    if (place !== undefined && place.step !== null) {
      throw new Error(`ctx is not for the code of a step: ${place.step} uses it for ${name}`);
    }
    turn.continuation.noteUse();
    return place?.scope ?? given.root;
  };
  const fork = (name: string): Fork => {
    const scope = at(name);
    return { ctx, scope, identity: scope.identify(name) };
  };
  const wait = (
    name: string,
    waiting: (identity: string) => { kind: WaitKind; wait: () => Wait },
  ) => {
    const scope = at(name);
    const identity = scope.identify(name);
    return observed(turn.ask({ identity, scope, ...waiting(identity) }));
  };
  const ctx: FunctionContext = {
    ...given.facts,
    ...timeCalls(tools, wait),
    ...valueCalls(tools, at),
    ...otherWaits(wait),
    ...endCalls(tools, { at, compensations: given.compensations }),
    setLabels: (labels) => {
      checkLabels(labels);
      const identity = at('set-labels').identify('set-labels');
      if (turn.find(identity, 'labels') !== null) return;
      // Lost, they are set again.
      turn.note({ identity, kind: 'labels', output: { ...labels } }, { isDerived: true });
    },
    signal: tools.stopped,
    logger: bindLogger(tools.logger, { fields: {}, isSilent: () => turn.log.isReplaying }),
    step: <Result>(
      name: string,
      run: Parameters<FunctionContext['step']>[1],
      options: StepOptions = {},
    ) => {
      checkOptions(options, STEP, `ctx.step("${name}")`);
      checkOptions(options.retry, RETRY, `the retry of ctx.step("${name}")`);
      const scope = at(name);
      const identity = scope.identify(name);
      const result = observed(turn.ask({ identity, kind: 'step', scope }));
      runStep(tools, { identity, scope, run, options }).catch((error: unknown) =>
        turn.end({ kind: 'threw', error }),
      );
      return result as Promise<Result>;
    },
    all: (branches) => observed(runAll(fork('all'), branches)) as Promise<never>,
    race: (branches) => observed(runRace(fork('race'), branches)) as Promise<never>,
    map: (items, run, options = {}) => {
      checkOptions(options, MAP, 'ctx.map()');
      const { name = 'map', concurrency = CONCURRENCY } = options;
      if (!(concurrency >= 1))
        throw new RangeError(`concurrency must be at least 1: ${concurrency}`);
      return observed(runMap(fork(name), { items, run, concurrency }));
    },
  };
  return ctx;
}

function endCalls(
  { turn }: TurnTools,
  given: { readonly at: (name: string) => Scope; readonly compensations: Compensations },
): Pick<FunctionContext, 'onRollback' | 'continueAsNew'> {
  const { at, compensations } = given;
  return {
    onRollback: (name, run) => {
      const identity = at(name).identify(`on-rollback ${name}`);
      if (turn.find(identity, 'on_rollback') === null) turn.note({ identity, kind: 'on_rollback' });
      compensations.register({ identity, run });
    },
    continueAsNew: (input) => {
      const scope = at('continueAsNew');
      if (compensations.isEmpty) throw turn.continuation.begin(input, scope);
      throw new ContinueAsNewError(
        'A function with registered rollbacks cannot continue as new: the next visit cannot run them. ' +
          'Do work that needs a rollback in a child, with ctx.call().',
      );
    },
  };
}

type Waiter = (
  name: string,
  waiting: (identity: string) => { kind: WaitKind; wait: () => Wait },
) => Promise<unknown>;

function timeCalls(tools: TurnTools, wait: Waiter): Pick<FunctionContext, 'sleep' | 'sleepUntil'> {
  return {
    sleep: async (first: Duration, second?: Duration) => {
      const [name, duration] = second === undefined ? ['sleep', first] : [String(first), second];
      const endMs = tools.nowMs() + readDuration(duration);
      await wait(name, (identity) => ({
        kind: 'timer',
        // Other branches may have worked since.
        wait: () => ({
          identity,
          kind: 'timer',
          delay_ms: Math.max(0, Math.ceil(endMs - tools.nowMs())),
        }),
      }));
    },
    sleepUntil: async (first: string | Date | number, second?: Date | number) => {
      const [name, time] = typeof first === 'string' ? [first, second] : ['sleep-until', first];
      const until = new Date(time ?? Number.NaN).toISOString();
      await wait(name, (identity) => ({
        kind: 'timer',
        wait: () => ({ identity, kind: 'timer', until }),
      }));
    },
  };
}

function otherWaits(wait: Waiter): Pick<FunctionContext, 'waitForEvent' | 'approval' | 'call'> {
  return {
    waitForEvent: <Payload>(name: string, options: EventOptions = {}) => {
      checkOptions(options, EVENT, `ctx.waitForEvent("${name}")`);
      return wait(name, (identity) => ({
        kind: 'event',
        wait: () => ({
          identity,
          kind: 'event',
          correlation_key: options.key ?? name,
          ...timeoutOf(options),
        }),
      })) as Promise<Payload>;
    },
    approval: (name, options = {}) => {
      checkOptions(options, APPROVAL, `ctx.approval("${name}")`);
      return askApproval(wait, name, options);
    },
    call: <Output>(target: Target, input: unknown, options: ChildOptions = {}) => {
      const workflowId = typeof target === 'string' ? target : target.name;
      checkOptions(options, CHILD, `ctx.call("${workflowId}")`);
      const isFunction = typeof target !== 'string' && target.kind === 'function';
      return callChild<Output>(wait, { workflowId, isFunction, input, options });
    },
  };
}

async function askApproval(
  wait: Waiter,
  name: string,
  options: ApprovalOptions,
): Promise<ApprovalDecision> {
  const what = `The context of ctx.approval("${name}")`;
  const context = requireJson(options.context ?? null, { name: 'context', what });
  const decision = await wait(name, (identity) => ({
    kind: 'approval',
    wait: () => ({
      identity,
      kind: 'approval',
      ...(options.description !== undefined && { description: options.description }),
      ...(options.context !== undefined && { context }),
      ...timeoutOf(options),
    }),
  }));
  const said = decision as { approved?: boolean; decided_by?: string; comment?: string };
  return {
    approved: said.approved === true,
    decidedBy: said.decided_by ?? null,
    comment: said.comment ?? null,
  };
}

type Target = { readonly name: string; readonly kind?: unknown } | string;

async function callChild<Output>(
  wait: Waiter,
  child: {
    readonly workflowId: string;
    /** Its output is in the state of the execution. */
    readonly isFunction: boolean;
    readonly input: unknown;
    readonly options: ChildOptions;
  },
): Promise<Output> {
  const { workflowId, isFunction, options } = child;
  const what = `The input of ctx.call("${workflowId}")`;
  const input = requireJson(child.input, { name: 'input', what });
  const state = await wait(options.name ?? workflowId, (identity) => ({
    kind: 'child',
    wait: () => ({
      identity,
      kind: 'child',
      workflow_id: workflowId,
      ...(options.version !== undefined && { version: options.version }),
      input,
    }),
  }));
  return (isFunction ? (state as { output?: unknown }).output : state) as Output;
}

function valueCalls(
  tools: TurnTools,
  at: (name: string) => Scope,
): Pick<FunctionContext, 'now' | 'random' | 'uuid' | 'version'> {
  const { turn } = tools;
  const value = <Value>(name: string, make: (identity: string) => Value, isDerived: boolean) => {
    const identity = at(name).identify(name);
    const found = turn.find(identity, 'value');
    if (found !== null) return found.output as Value;
    const output = make(identity);
    turn.note({ identity, kind: 'value', output }, { isDerived });
    return output;
  };
  return {
    now: () => value('now', () => tools.nowMs(), false),
    random: () =>
      value('random', (identity) => deriveRandom(deriveKey(tools.visitKey, identity)), true),
    uuid: () => value('uuid', (identity) => deriveUuid(deriveKey(tools.visitKey, identity)), true),
    version: (change, version) => {
      if (!Number.isInteger(version) || version < 1) {
        throw new RangeError(`a version is a whole number from 1: ${version}`);
      }
      const identity = `${at(change).prefix}version/${change}`;
      const found = turn.find(identity, 'version');
      if (found !== null) return Number(found.output);
      if (turn.log.isReplaying) return 0;
      turn.note({ identity, kind: 'version', output: version });
      return version;
    },
  };
}

function timeoutOf(options: { readonly timeout?: Duration }): { timeout_ms?: number } {
  return options.timeout === undefined ? {} : { timeout_ms: readDuration(options.timeout) };
}

/** A promise that the function awaits later may fail before: that is no error of the process. */
function observed<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
