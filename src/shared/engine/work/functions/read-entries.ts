import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import type { FunctionRun } from '../../../domain/execution/function-run.ts';
import { notFound } from '../../../domain/errors.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { LiveVisit } from '../../../domain/execution/state.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { resolveReferences } from '../../artifacts/resolve.ts';
import type { EngineDeps } from '../../deps.ts';
import type { Held } from '../../advance/held-execution.ts';

export interface ReadEntry {
  readonly entry: JournalEntry;
  readonly position: number;
  readonly recordedAt: string;
}

export interface JournalPage {
  readonly entries: readonly ReadEntry[];
  /** All there are. */
  readonly length: number;
  /** Where to read on; null: at the end. */
  readonly next: number | null;
}

interface Journal {
  readonly known: Held;
  readonly visit: Pick<LiveVisit, 'nodeId' | 'visit'>;
  readonly run: FunctionRun;
}

/** Events that are read at once. */
const EVENTS_OF_READING = 200;
export const PAGE_ENTRIES_MAX = 200;
const PAGE_BYTES_MAX = 256 * 1024;

/**
 * Entries as they are stored, from a position on. Only the events that have entries are read: between two
 * of them may lie those of weeks in which the function waited for code that fits.
 */
export async function readEntries(
  { store }: Pick<EngineDeps, 'store'>,
  of: Journal & { readonly from: number; readonly limit: number },
): Promise<readonly ReadEntry[]> {
  const { known, visit, run, from, limit } = of;
  const { executionId } = known.row;
  const sequences = [...run.recorded.values()];
  const end = Math.min(sequences.length, from + limit);
  const last = sequences[end - 1] ?? 0;
  const found: ReadEntry[] = [];
  let after = (sequences[from] ?? last + 1) - 1;
  while (after < last) {
    const events = await store.executions.eventsBetween({
      executionId,
      after,
      before: last + 1,
      kinds: ['StepRecorded'],
      order: 'asc',
      limit: EVENTS_OF_READING,
    });
    if (events.length === 0) throw await explainGap(store, executionId);
    for (const { kind, nodeId, payload, createdAt } of events) {
      if (kind !== 'StepRecorded' || nodeId !== visit.nodeId || payload.visit !== visit.visit) {
        continue;
      }
      payload.entries.forEach((entry, index) => {
        const position = payload.position + index;
        if (position >= from && position < end)
          found.push({ entry, position, recordedAt: createdAt });
      });
    }
    after = events.at(-1)?.sequence ?? last;
  }
  return found;
}

/** Retention may have removed the execution since it was loaded. */
async function explainGap(
  { executions }: EngineDeps['store'],
  executionId: ExecutionId,
): Promise<Error> {
  const isGone = (await executions.find(executionId, null)) === null;
  if (isGone) return notFound(`execution ${executionId}`);
  return new Error(`the journal of ${executionId} is not in its history`);
}

/** A page for a worker: whole values, and no more of them than a request should carry. */
export async function readPage(
  deps: Pick<EngineDeps, 'store'>,
  of: Journal & { readonly from: number; readonly limit: number },
): Promise<JournalPage> {
  const { known, run, from } = of;
  const length = run.recorded.size;
  const stored = await readEntries(deps, { ...of, limit: Math.min(of.limit, PAGE_ENTRIES_MAX) });
  const { tenantId } = known.row;
  const entries: ReadEntry[] = [];
  let bytes = 0;
  for (const read of stored) {
    const entry = await wholeEntry(deps, tenantId, read.entry);
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (entries.length > 0 && bytes > PAGE_BYTES_MAX) break;
    entries.push({ ...read, entry });
  }
  const read = from + entries.length;
  return { entries, length, next: read < length ? read : null };
}

async function wholeEntry(
  { store }: Pick<EngineDeps, 'store'>,
  tenantId: Held['row']['tenantId'],
  { event_sequence: _, ...entry }: JournalEntry,
): Promise<JournalEntry> {
  const { output } = entry;
  if (output === undefined) return entry;
  const values: readonly JsonValue[] = [output];
  const [whole = output] = await resolveReferences(store.artifacts, { tenantId, values });
  return { ...entry, output: whole };
}
