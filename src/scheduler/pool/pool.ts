import type { CandidateList } from '../../shared/domain/memory/candidates.ts';
import type { VectorScan } from '../../shared/domain/memory/scan.ts';
import type { Cpu } from '../../shared/ports/cpu.ts';
import type { VectorScanner } from '../../shared/ports/vector-scanner.ts';
import { isCheap, profileSchema } from './schema/schema-profile.ts';
import type { SchemaProfile } from './schema/schema-profile.ts';
import type { DecideTask } from './tasks/decide.ts';
import type { ValidateSchemaTask } from './tasks/validate-schema.ts';
import { createThreads, TaskLimitError } from './threads.ts';

export interface CpuPool extends Cpu, VectorScanner {
  use(): { readonly threads: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface CpuOptions {
  /** Key `runtime.workers`. */
  readonly threads: number;
  /** Longest time one task may run; 5 s when not given. */
  readonly taskMsMax?: number;
  readonly waitingMax?: number;
  /** A thread that had nothing to do for so long ends. */
  readonly idleMs?: number;
  readonly memoryMiBMax?: number;
  readonly onTask?: (task: {
    readonly task: string;
    readonly place: 'inline' | 'thread';
    readonly outcome: string;
  }) => void;
  /** A thread failed while it had no task. */
  readonly onThreadError?: (error: unknown) => void;
}

/**
 * CPU-bound work: on worker threads when it is large or could be made slow on purpose, in place
 * when it is small, as a small check takes less time than the way to a thread and back.
 */
export function createCpu(options: CpuOptions): CpuPool {
  const threads = createThreads({
    threadsMax: options.threads,
    waitingMax: options.waitingMax ?? 256,
    taskMsMax: options.taskMsMax ?? 5000,
    idleMs: options.idleMs ?? 30_000,
    memoryMiBMax: options.memoryMiBMax ?? 256,
    onThreadError: options.onThreadError ?? (() => undefined),
  });

  async function onThread(
    task:
      | { readonly name: 'validateSchema'; readonly input: ValidateSchemaTask }
      | { readonly name: 'decide'; readonly input: DecideTask }
      | { readonly name: 'scanVectors'; readonly input: VectorScan },
  ): Promise<unknown> {
    const told = (outcome: string) =>
      options.onTask?.({ task: task.name, place: 'thread', outcome });
    try {
      const result = await threads.run({ ...task, file: TASK_FILES[task.name] });
      told('ok');
      return result;
    } catch (error) {
      told(error instanceof TaskLimitError ? `${error.limit}_limit` : 'error');
      throw error;
    }
  }

  async function validateOnThread(task: ValidateSchemaTask): Promise<readonly string[]> {
    try {
      return (await onThread({ name: 'validateSchema', input: task })) as readonly string[];
    } catch (error) {
      if (!(error instanceof TaskLimitError)) throw error;
      // The fault is in what the caller sent, so it is answered like one.
      return [`schema /: checking the value against it exceeds the ${error.limit} limit`];
    }
  }

  let checker: ReturnType<typeof loadChecker> | null = null;
  const validateSchema: Cpu['validateSchema'] = async ({ schema, value }) => {
    const profile = profileSchema(schema);
    if (profile.text.length > SCHEMA_CHARS_MAX) return [TOO_LARGE];
    if (!isCheap(profile, value)) return validateOnThread(asTask(profile, value));
    options.onTask?.({ task: 'validateSchema', place: 'inline', outcome: 'ok' });
    const { validateSchemaHere } = await (checker ??= loadChecker());
    return validateSchemaHere({ key: profile.key, schema, value });
  };

  return {
    validateSchema,
    // Checking any value finds the schema's own faults, which are told apart by how they begin.
    checkSchema: async ({ schema }) =>
      (await validateSchema({ schema, value: null }))
        .filter((violation) => violation.startsWith(SCHEMA_FAULT))
        .map((violation) => violation.slice(SCHEMA_FAULT.length)),
    decide: ({ ir, snapshot }) => onThread({ name: 'decide', input: { ir, snapshot } }),
    scanVectors: async (scan) =>
      (await onThread({ name: 'scanVectors', input: scan })) as CandidateList,
    use: () => threads.use(),
    close: () => threads.close(),
  };
}

/** With the first check, as the compiler of schemas is large. */
const loadChecker = () => import('./tasks/validate-schema.ts');

const SCHEMA_CHARS_MAX = 256 * 1024;
/** A fault of the schema; those of the value begin with a pointer. */
const SCHEMA_FAULT = 'schema ';
const TOO_LARGE = `${SCHEMA_FAULT}/: is longer than ${SCHEMA_CHARS_MAX} characters`;

/** Run from sources, the tasks are TypeScript; run from `dist`, they are what was built of it. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const TASK_FILES = {
  validateSchema: new URL(`./tasks/validate-schema.${EXTENSION}`, import.meta.url).href,
  decide: new URL(`./tasks/decide.${EXTENSION}`, import.meta.url).href,
  scanVectors: new URL(`./tasks/scan-vectors.${EXTENSION}`, import.meta.url).href,
};

function asTask({ key, text }: SchemaProfile, value: unknown): ValidateSchemaTask {
  return { key, schema: text, value: JSON.stringify(value) };
}
