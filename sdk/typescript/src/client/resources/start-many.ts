import { sleep } from '../environment.ts';
import { explainRefusal } from '../explain-failure.ts';
import { retryDelayMs } from '../retry.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type { BodyOf, ReplyOf } from '../wire.ts';

export type StartEntry = BodyOf<'start-executions'>['executions'][number];
export type StartEntries = Iterable<StartEntry> | AsyncIterable<StartEntry>;
/** With status 201 it has `execution_id`, with others `error`. */
export type StartVerdict = ReplyOf<'start-executions'>['results'][number];

/** `timeout` is that of each request. */
export interface StartManyOptions extends CallOptions {
  /** Called after each request with its verdicts, and the position of the first one's entry. */
  readonly onVerdicts?: (verdicts: readonly StartVerdict[], first: number) => void;
}

/** One request at a time, so that no more than a batch of the entries is read ahead. */
export async function startMany(
  transport: Transport,
  entries: StartEntries,
  { onVerdicts, ...options }: StartManyOptions,
): Promise<StartVerdict[]> {
  const all: StartVerdict[] = [];
  for await (const batch of inBatches(entries, transport.environment.uuid)) {
    const verdicts = await startBatch(transport, batch, options);
    onVerdicts?.(verdicts, all.length);
    all.push(...verdicts);
  }
  return all;
}

const BATCH_ENTRIES_MAX = 1_000;
/** At most three bytes each: below the service's limit of a body. */
const BATCH_CHARACTERS_MAX = 4_000_000;

async function* inBatches(
  entries: StartEntries,
  makeKey: () => string,
): AsyncGenerator<readonly StartEntry[], void, undefined> {
  let batch: StartEntry[] = [];
  let characters = 0;
  for await (const given of entries) {
    const entry = { ...given, idempotency_key: given.idempotency_key ?? makeKey() };
    const size = JSON.stringify(entry).length;
    const isFull = batch.length >= BATCH_ENTRIES_MAX || characters + size > BATCH_CHARACTERS_MAX;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(entry);
    characters += size;
  }
  if (batch.length > 0) yield batch;
}

/** Entries whose verdict may be another one later are sent again, as a single start is. */
async function startBatch(
  transport: Transport,
  batch: readonly StartEntry[],
  options: CallOptions,
): Promise<StartVerdict[]> {
  const verdicts = new Map<StartEntry, StartVerdict>();
  let waiting = batch;
  for (let attempts = 1; ; attempts += 1) {
    const { results } = await transport.call('start-executions', {
      ...options,
      body: { executions: waiting },
    });
    waiting.forEach((entry, index) => {
      const verdict = results[index];
      if (verdict !== undefined) verdicts.set(entry, verdict);
    });
    const delays = waiting.flatMap((entry) => {
      const delayMs = delayOf(transport, verdicts.get(entry), attempts);
      return delayMs === null ? [] : { entry, delayMs };
    });
    if (delays.length === 0) return batch.flatMap((entry) => verdicts.get(entry) ?? []);
    const longestMs = Math.max(...delays.map(({ delayMs }) => delayMs));
    await sleep(transport.environment, longestMs, options.signal ?? null);
    waiting = delays.map(({ entry }) => entry);
  }
}

/** Null: the verdict is final. */
function delayOf(
  { environment, retry, target }: Transport,
  verdict: StartVerdict | undefined,
  attempts: number,
): number | null {
  const { status = 0, error, retry_after_seconds: seconds } = verdict ?? {};
  if (error === undefined) return null;
  const refusal = { status, error, ...(seconds !== undefined && { retry_after_seconds: seconds }) };
  return retryDelayMs({
    error: explainRefusal(target(), refusal),
    attempts,
    repeatable: true,
    policy: retry,
    random: environment.random,
  });
}
