import { badRequest } from '../../shared/domain/errors.ts';
import type { ReadDocument } from '../../shared/domain/document.ts';
import type { JsonObject, JsonValue } from '../../shared/domain/json.ts';
import type { CandidateList } from '../../shared/domain/memory/candidates.ts';
import type { VectorScan } from '../../shared/domain/memory/scan.ts';
import type { TenantId } from '../../shared/domain/ids.ts';
import type { Cpu, CpuCaller } from '../../shared/ports/cpu.ts';
import type { VectorScanner } from '../../shared/ports/vector-scanner.ts';
import { createCpuUse } from './cpu-use.ts';
import { isCheap, profileSchema } from './schema/schema-profile.ts';
import type { SchemaProfile } from './schema/schema-profile.ts';
import type { DecideTask } from './tasks/decide.ts';
import type { ReadDocumentTask } from './tasks/read-document.ts';
import type { ValidateSchemaTask } from './tasks/validate-schema.ts';
import { createThreads, TaskLimitError } from './threads.ts';
import { TurnRefusedError } from './turns.ts';

export interface CpuPool extends Cpu, VectorScanner {
  use(): { readonly threads: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface CpuOptions {
  /** Key `runtime.workers`. */
  readonly threads: number;
  /** Longest time one task may run; 5 s when not given. */
  readonly taskMsMax?: number;
  /** Tasks that wait, of all tenants and of one. */
  readonly waitingMax?: number;
  readonly tenantWaitingMax?: number;
  /** A request whose task has not begun by then gets 503. */
  readonly waitMsMax?: number;
  /** Limit of a tenant, `max_cpu_seconds_per_minute`; null: none. */
  readonly cpuSecondsMaxOf?: (tenantId: TenantId) => Promise<number | null>;
  /** A thread that had nothing to do for so long ends. */
  readonly idleMs?: number;
  readonly memoryMiBMax?: number;
  readonly onTask?: (task: CpuTaskReport) => void;
  /** A thread failed while it had no task. */
  readonly onThreadError?: (error: unknown) => void;
}

export interface CpuTaskReport {
  readonly task: string;
  readonly place: 'inline' | 'thread';
  readonly outcome: string;
}

/**
 * CPU-bound work: on worker threads when it is large or could be made slow on purpose, in place
 * when it is small, as a small check takes less time than the way to a thread and back.
 */
export function createCpu(options: CpuOptions): CpuPool {
  const now = () => performance.now();
  const threadsMax = Math.max(THREADS_MIN, options.threads);
  const settings = {
    threadsMax,
    waitingMax: options.waitingMax ?? 512,
    tenantWaitingMax: options.tenantWaitingMax ?? 128,
    waitMsMax: options.waitMsMax ?? 10_000,
    taskMsMax: options.taskMsMax ?? 5000,
    idleMs: options.idleMs ?? 30_000,
    memoryMiBMax: options.memoryMiBMax ?? 256,
    now,
    use: createCpuUse({ now }),
    onThreadError: options.onThreadError ?? (() => undefined),
  };
  // Schemas are users' programs. The engine's own tasks never wait behind one.
  const checks = createThreads({ ...settings, tenantThreadsMax: Math.floor(threadsMax / 2) });
  const engineWork = createThreads({ ...settings, tenantThreadsMax: threadsMax - 1 });

  async function onThread(
    task:
      | {
          readonly name: 'validateSchema';
          readonly input: ValidateSchemaTask;
          readonly caller: CpuCaller;
        }
      | {
          readonly name: 'readDocument';
          readonly input: ReadDocumentTask;
          readonly caller: CpuCaller;
        }
      | { readonly name: 'simulate'; readonly input: JsonObject; readonly caller: CpuCaller }
      | { readonly name: 'decide'; readonly input: DecideTask; readonly caller: CpuCaller }
      | { readonly name: 'scanVectors'; readonly input: VectorScan; readonly caller: CpuCaller },
  ): Promise<unknown> {
    const told = (outcome: string) =>
      options.onTask?.({ task: task.name, place: 'thread', outcome });
    const isCheck = USERS_TASKS.has(task.name);
    const { tenantId } = task.caller;
    try {
      // The limit applies to users' tasks; the engine's tasks count, but always run.
      const cpuSecondsMax = isCheck ? await cpuSecondsMaxOf(tenantId) : null;
      const result = await (isCheck ? checks : engineWork).run({
        ...task,
        file: TASK_FILES[task.name],
        caller: { ...task.caller, cpuSecondsMax },
      });
      told('ok');
      return result;
    } catch (error) {
      told(outcomeOf(error));
      throw error;
    }
  }

  const cpuSecondsMaxOf = options.cpuSecondsMaxOf ?? (async () => null);

  async function validateOnThread(
    input: ValidateSchemaTask,
    caller: CpuCaller,
  ): Promise<readonly string[]> {
    try {
      const violations = await onThread({ name: 'validateSchema', input, caller });
      return violations as readonly string[];
    } catch (error) {
      if (!(error instanceof TaskLimitError)) throw error;
      // The fault is in what the caller sent, so it is answered like one.
      return [`schema /: checking the value against it exceeds the ${error.limit} limit`];
    }
  }

  async function readDocument({
    caller,
    ...input
  }: Parameters<Cpu['readDocument']>[0]): Promise<ReadDocument> {
    if (input.text.length <= INLINE_TEXT_MAX) {
      options.onTask?.({ task: 'readDocument', place: 'inline', outcome: 'ok' });
      const { readDocumentHere } = await import('./tasks/read-document.ts');
      return readDocumentHere(input);
    }
    try {
      return (await onThread({ name: 'readDocument', input, caller })) as ReadDocument;
    } catch (error) {
      if (!(error instanceof TaskLimitError)) throw error;
      const message = `reading it exceeds the ${error.limit} limit`;
      return { ok: false, fault: { message, place: null } };
    }
  }

  let checker: ReturnType<typeof loadChecker> | null = null;
  const validate = async (
    of: Parameters<Cpu['validateSchema']>[0],
    patterns: 'linear' | 'any',
  ): Promise<readonly string[]> => {
    const { schema, value, caller } = of;
    const profile = profileSchema(schema);
    if (profile.text.length > SCHEMA_CHARS_MAX) return [TOO_LARGE];
    if (!isCheap(profile, value)) {
      return validateOnThread(asTask(profile, { value, patterns }), caller);
    }
    options.onTask?.({ task: 'validateSchema', place: 'inline', outcome: 'ok' });
    const { validateSchemaHere } = await (checker ??= loadChecker());
    return validateSchemaHere({ key: profile.key, schema, value });
  };

  return {
    validateSchema: (of) => validate(of, 'any'),
    // Checking any value reveals the schema's own faults, which have a known prefix.
    checkSchema: async ({ schema, caller }) =>
      (await validate({ schema, value: null, caller }, 'linear'))
        .filter((violation) => violation.startsWith(SCHEMA_FAULT))
        .map((violation) => violation.slice(SCHEMA_FAULT.length)),
    readDocument,
    async simulate({ request, caller }) {
      try {
        return await onThread({ name: 'simulate', input: request, caller });
      } catch (error) {
        if (!(error instanceof TaskLimitError)) throw error;
        throw badRequest(`the simulation exceeds the ${error.limit} limit`);
      }
    },
    decide: ({ ir, snapshot, caller }) =>
      onThread({ name: 'decide', input: { ir, snapshot }, caller }),
    scanVectors: async (input, caller) =>
      (await onThread({ name: 'scanVectors', input, caller })) as CandidateList,
    use: () => {
      const [a, b] = [checks.use(), engineWork.use()];
      return { threads: a.threads + b.threads, waiting: a.waiting + b.waiting };
    },
    async close() {
      await Promise.all([checks.close(), engineWork.close()]);
    },
  };
}

/** Users' programs, as opposed to work of the engine. */
const USERS_TASKS: ReadonlySet<string> = new Set(['validateSchema', 'readDocument', 'simulate']);

/** With one thread, the task of one tenant would hold up all others. */
const THREADS_MIN = 2;

/** One of few words: it is a label of a metric. */
function outcomeOf(error: unknown): string {
  if (error instanceof TaskLimitError) return `${error.limit}_limit`;
  if (error instanceof TurnRefusedError) return `refused_${error.refusal}`;
  return 'error';
}

/** With the first check, as the compiler of schemas is large. */
const loadChecker = () => import('./tasks/validate-schema.ts');

/** Even a hostile text of this length takes a few milliseconds. */
const INLINE_TEXT_MAX = 4096;
const SCHEMA_CHARS_MAX = 256 * 1024;
/** A fault of the schema; those of the value begin with a pointer. */
const SCHEMA_FAULT = 'schema ';
const TOO_LARGE = `${SCHEMA_FAULT}/: is longer than ${SCHEMA_CHARS_MAX} characters`;

/** Run from sources, the tasks are TypeScript; run from `dist`, they are what was built of it. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const TASK_FILES = {
  validateSchema: new URL(`./tasks/validate-schema.${EXTENSION}`, import.meta.url).href,
  readDocument: new URL(`./tasks/read-document.${EXTENSION}`, import.meta.url).href,
  simulate: new URL(`./tasks/simulate.${EXTENSION}`, import.meta.url).href,
  decide: new URL(`./tasks/decide.${EXTENSION}`, import.meta.url).href,
  scanVectors: new URL(`./tasks/scan-vectors.${EXTENSION}`, import.meta.url).href,
};

function asTask(
  { key, text }: SchemaProfile,
  { value, patterns }: { readonly value: JsonValue; readonly patterns: 'linear' | 'any' },
): ValidateSchemaTask {
  return { key, schema: text, value: JSON.stringify(value), patterns };
}
