import { awaitEnd, outputOf, WAIT_MS_MAX, withGrace } from './await-end.ts';
import { readDuration, toMs, type Duration } from '../duration.ts';
import { refuseUnknown, type Known } from '../known-options.ts';
import {
  writeStartRules,
  type Batch,
  type Concurrency,
  type Debounce,
  type Fairness,
  type StartRate,
  type StartRules,
} from '../workflow/parts/start-rules.ts';
import { readVariable, systemEnvironment, type Environment } from './environment.ts';
import {
  createExecutionHandle,
  type ExecutionHandle,
  type ResultOptions,
} from './execution-handle.ts';
import {
  createAudit,
  createRetention,
  createSystem,
  createTenants,
  createTokens,
} from './resources/administration.ts';
import { createAgents } from './resources/agents.ts';
import { createApprovals } from './resources/approvals.ts';
import { createArtifacts } from './resources/artifacts.ts';
import { createExecutions, type StartCallOptions } from './resources/executions.ts';
import { createMemory } from './resources/memory.ts';
import { createCron, createSchedules } from './resources/schedules.ts';
import { createService } from './resources/service-facts.ts';
import { createWebhooks } from './resources/webhooks.ts';
import { createWorkItems } from './resources/work-items.ts';
import { createWorkOverview } from './resources/work-overview.ts';
import { createWorkflows } from './resources/workflows.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';
import { nameOfStartable, type NamedWorkflow, type Startable } from './startable.ts';
import { createTransport, type Transport } from './transport.ts';
import type { BodyOf } from './wire.ts';

export interface ClientOptions {
  /** Address of the service; a path in it is kept. Default: `SVC_URL`, else `http://127.0.0.1:7700`. */
  readonly url?: string;
  /** Or a function that is asked for it with every attempt. Default: `SVC_TOKEN`. */
  readonly token?: string | (() => string | Promise<string>);
  /** Another tenant than the token's, for operators of the tenant `default`. */
  readonly tenantId?: string;
  /** Longest time of a call with all its attempts; 60 s by default. */
  readonly timeout?: Duration;
  /** Longest time of one attempt; 20 s by default. */
  readonly attemptTimeout?: Duration;
  readonly retry?: Partial<RetryPolicy>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the system's: `fetch`, clock, randomness. */
  readonly environment?: Partial<Environment>;
}

export interface StartOptions extends Omit<StartCallOptions, 'waitMs'> {
  readonly version?: string;
  /** 0 first, 9 last; 5 by default. */
  readonly priority?: number;
  /** Names and values to find the execution by; its children and retries have them too. */
  readonly labels?: Readonly<Record<string, string>>;
  /** It begins after this time, or at this instant. Default: that of the workflow, or at once. */
  readonly startAfter?: Duration | Date;
  /** It fails unless it has begun by then. Default: that of the workflow, or none. */
  readonly startDeadline?: Duration | Date;
  /** Rules of flow control as in a definition, whose durations they have. Refused if the definition has one. */
  readonly concurrency?: Concurrency;
  readonly rate?: StartRate;
  readonly debounce?: Debounce;
  readonly batch?: Batch;
  readonly fairness?: Fairness;
}

export type RunOptions = Omit<StartOptions, 'timeout'> & ResultOptions;

export type SvcClient = ReturnType<typeof createClient>;

/** A client of one service. It holds no connection, and needs no closing. */
export function createClient(options: ClientOptions = {}) {
  const transport = createTransport(readOptions(options));
  const executions = createExecutions(transport);

  function execution<Output = unknown>(id: string): ExecutionHandle<Output> {
    return createExecutionHandle<Output>(transport, executions, id);
  }

  /** Starts an execution. A lost answer never starts a second one. */
  async function start<Input extends object, Output>(
    workflow: Startable<Input, Output>,
    input: Input,
    options: StartOptions = {},
  ): Promise<ExecutionHandle<Output>> {
    const { body, call } = startRequest(workflow, input, options);
    const { execution_id: id } = await executions.start(body, call);
    return execution<Output>(id);
  }

  /** Starts an execution, waits for its end and gives its output; see `ExecutionHandle.result`. */
  async function run<Input extends object, Output>(
    workflow: Startable<Input, Output>,
    input: Input,
    { timeout, ...options }: RunOptions = {},
  ): Promise<Output> {
    const timeoutMs = timeout === undefined ? null : toMs(timeout, 'timeout');
    return (await runToEnd(transport, executions, {
      ...startRequest(workflow, input, options),
      timeoutMs,
      signal: options.signal ?? null,
    })) as Output;
  }

  return {
    start,
    run,
    /** The execution of this id, without asking whether there is one. */
    execution,
    executions,
    workflows: createWorkflows(transport),
    approvals: createApprovals(transport),
    workItems: createWorkItems(transport),
    work: createWorkOverview(transport),
    artifacts: createArtifacts(transport),
    schedules: createSchedules(transport),
    cron: createCron(transport),
    agents: createAgents(transport),
    memory: createMemory(transport),
    webhooks: createWebhooks(transport),
    tenants: createTenants(transport),
    tokens: createTokens(transport),
    retention: createRetention(transport),
    audit: createAudit(transport),
    system: createSystem(transport),
    service: createService(transport),
  };
}

interface StartRequest {
  readonly body: BodyOf<'start-execution'>;
  readonly call: StartCallOptions;
}

const KNOWN_OF_START: Known<StartOptions> = {
  version: true,
  priority: true,
  labels: true,
  startAfter: true,
  startDeadline: true,
  concurrency: true,
  rate: true,
  debounce: true,
  batch: true,
  fairness: true,
  idempotencyKey: true,
  traceparent: true,
  signal: true,
  timeout: true,
};

function startRequest(workflow: NamedWorkflow, input: object, options: StartOptions): StartRequest {
  refuseUnknown(options, KNOWN_OF_START, 'a start');
  const { version, priority, labels, startAfter, startDeadline, ...others } = options;
  const { concurrency, rate, debounce, batch, fairness, ...call } = others;
  const named = nameOfStartable(workflow);
  const body = {
    workflow_id: named.workflowId,
    workflow_version: version ?? named.version ?? null,
    input: input as BodyOf<'start-execution'>['input'],
    ...(priority !== undefined && { priority }),
    ...(labels !== undefined && { labels }),
    ...(startAfter !== undefined && { start_after: writeTime(startAfter, 'startAfter') }),
    ...(startDeadline !== undefined && {
      start_deadline: writeTime(startDeadline, 'startDeadline'),
    }),
    ...(writeStartRules({ concurrency, rate, debounce, batch, fairness }) as RulesOfStart),
  };
  return { body, call };
}

type RulesOfStart = Pick<BodyOf<'start-execution'>, keyof StartRules>;

function writeTime(time: Duration | Date, name: string): string {
  if (time instanceof Date) return time.toISOString();
  return `${readDuration(time, `${name}, if not a Date,`)}ms`;
}

/** The first request starts and waits; where it does not see the end, others wait on. */
async function runToEnd(
  transport: Transport,
  executions: ReturnType<typeof createExecutions>,
  params: StartRequest & { readonly timeoutMs: number | null; readonly signal: AbortSignal | null },
): Promise<unknown> {
  const { body, call, timeoutMs, signal } = params;
  const { now } = transport.environment;
  const began = now();
  const waitMs = Math.min(WAIT_MS_MAX, timeoutMs ?? Infinity);
  const answer = await executions.start(body, {
    ...call,
    waitMs,
    ...(timeoutMs !== null && { timeout: withGrace(timeoutMs) }),
  });
  if ('error' in answer && answer.continued_as === null) return outputOf(answer);
  const executionId =
    'error' in answer ? (answer.continued_as ?? answer.execution_id) : answer.execution_id;
  const leftMs = timeoutMs === null ? null : Math.max(0, timeoutMs - (now() - began));
  return outputOf(
    await awaitEnd(transport, executions, { executionId, timeoutMs: leftMs, signal }),
  );
}

const KNOWN: Known<ClientOptions> = {
  url: true,
  token: true,
  tenantId: true,
  timeout: true,
  attemptTimeout: true,
  retry: true,
  headers: true,
  environment: true,
};

function readOptions(options: ClientOptions): Parameters<typeof createTransport>[0] {
  refuseUnknown(options, KNOWN, 'a client');
  const token = options.token ?? readVariable('SVC_TOKEN') ?? null;
  return {
    url: readUrl(options.url ?? readVariable('SVC_URL') ?? 'http://127.0.0.1:7700'),
    token:
      token === null
        ? null
        : async () => readToken(typeof token === 'string' ? token : await token()),
    tenantId: options.tenantId ?? null,
    headers: options.headers ?? {},
    timeoutMs: toMs(options.timeout ?? '60s', 'timeout'),
    attemptTimeoutMs: toMs(options.attemptTimeout ?? '20s', 'attemptTimeout'),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    environment: systemEnvironment(options.environment ?? {}),
  };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url.href;
  throw new RangeError(`url must be an address such as http://127.0.0.1:7700, not "${text}"`);
}

/** A line end in a token would be refused by fetch without a word why. */
function readToken(text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new RangeError('the token is empty, or has spaces or other characters that no token has');
}
