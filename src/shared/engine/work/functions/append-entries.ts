import { canonicalJson } from '../../../domain/canonical-json.ts';
import { badRequest, protocolConflict, type SvcError } from '../../../domain/errors.ts';
import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import {
  ENTRIES_MAX,
  type FunctionRun,
  ROLLBACK_PREFIX,
} from '../../../domain/execution/function-run.ts';
import type { LiveVisit } from '../../../domain/execution/state.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import { holdReferences } from '../../artifacts/hold-references.ts';
import { isLarge, offloadResult } from '../../artifacts/offload.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { priced } from '../settle-work-item.ts';
import type { OpenRun } from './change-run.ts';
import { readEntries } from './read-entries.ts';

/** Entries that a worker records, and their place in the journal. */
export interface Append {
  readonly entries: readonly JournalEntry[];
  /** Entries of the journal that the worker knows; null: it does not say. */
  readonly expectedLength: number | null;
}

/** `known`: the journal already has the entries; the answer to the first request was lost. */
export type AppendVerdict = 'new' | 'known';

/** The most entries of one request. */
export const ENTRIES_OF_REQUEST_MAX = 100;

/** Throws the 409 of a journal that is not as the worker knows it, and the 400 of entries out of place. */
export async function judgeAppend(
  deps: UseCaseDeps,
  open: OpenRun & { readonly turn: NonNullable<OpenRun['turn']> },
  { entries, expectedLength, verdict }: Append & { readonly verdict: JsonObject },
): Promise<AppendVerdict> {
  const { run } = open.turn;
  const length = run.recorded.size;
  const expected = expectedLength ?? length;
  const conflicts = (): SvcError =>
    protocolConflict({ ...verdict, reason: 'journal_conflict', length });
  if (expected > length) throw conflicts();
  if (expected < length) {
    const isKnown = await areRecorded(deps, open, { entries, from: expected });
    if (!isKnown) throw conflicts();
    return 'known';
  }
  if (length + entries.length > ENTRIES_MAX) {
    throw badRequest(
      `a visit of a function records at most ${ENTRIES_MAX} entries; continue as new before`,
    );
  }
  checkKinds(run, entries);
  if (entries.some(({ identity }) => run.recorded.has(identity))) throw conflicts();
  return 'new';
}

async function areRecorded(
  deps: UseCaseDeps,
  { known, turn }: OpenRun,
  of: { readonly entries: readonly JournalEntry[]; readonly from: number },
): Promise<boolean> {
  const { entries, from } = of;
  if (turn === null || entries.length === 0) return false;
  if (from + entries.length > turn.run.recorded.size) return false;
  const stored = await readEntries(deps, { known, ...turn, from, limit: entries.length });
  return entries.every((entry, index) => {
    const found = stored[index]?.entry;
    return found !== undefined && isSameEntry(found, entry);
  });
}

/** Prices may have changed since the first request, so a cost that the worker left open is no difference. */
function isSameEntry(stored: JournalEntry, sent: JournalEntry): boolean {
  const { usage } = stored;
  const isOpen = usage !== undefined && sent.usage?.cost_usd === null;
  const asSent = isOpen ? { ...stored, usage: { ...usage, cost_usd: null } } : stored;
  return canonicalJson(asSent) === canonicalJson(sent);
}

function checkKinds({ mode, compensations }: FunctionRun, entries: readonly JournalEntry[]): void {
  const owed = new Set(compensations.map((identity) => ROLLBACK_PREFIX + identity));
  for (const { kind, identity } of entries) {
    if (kind === 'on_rollback') owed.add(ROLLBACK_PREFIX + identity);
    if (kind === 'rollback' && !owed.has(identity)) {
      throw badRequest(`there is no compensation to run for entry ${identity}`);
    }
    if (mode === 'rollback' && kind !== 'rollback' && kind !== 'value') {
      throw badRequest(`a rollback records compensations only, and no ${kind}`);
    }
  }
}

/** StepRecorded, where there is something to record, with the price of the models that were used. */
export function recordedEvents(
  deps: UseCaseDeps,
  { visit: { nodeId, visit }, run }: { readonly visit: LiveVisit; readonly run: FunctionRun },
  given: readonly JournalEntry[],
): readonly ExecutionEvent[] {
  if (given.length === 0) return [];
  const entries = given.map((entry) => pricedEntry(deps, entry));
  const payload = { visit, turn: run.turn, position: run.recorded.size, entries };
  return [{ kind: 'StepRecorded', nodeId, payload }];
}

function pricedEntry(deps: UseCaseDeps, entry: JournalEntry): JournalEntry {
  if (entry.usage === undefined) return entry;
  const { input_tokens: inputTokens, output_tokens: outputTokens, model } = entry.usage;
  const reported = { inputTokens, outputTokens, costUsd: entry.usage.cost_usd };
  const usage = priced(deps, { ...reported, ...(model !== undefined && { model }) });
  return { ...entry, usage: { ...entry.usage, cost_usd: usage?.costUsd ?? null } };
}

/** The same entries with large outputs put elsewhere; a reference to no artifact is a 400. */
export async function leanEntries(
  deps: UseCaseDeps,
  tenantId: TenantId,
  entries: readonly JournalEntry[],
): Promise<readonly JournalEntry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { output } = entry;
      if (output === undefined) return entry;
      const what = `the output of ${entry.identity}`;
      return { ...entry, output: await leanValue(deps, tenantId, { value: output, what }) };
    }),
  );
}

/** The same value, or a reference to it if it is large; a reference to no artifact is a 400. */
export async function leanValue(
  deps: UseCaseDeps,
  tenantId: TenantId,
  { value, what }: { readonly value: JsonValue; readonly what: string },
): Promise<JsonValue> {
  const json = JSON.stringify(value);
  await holdReferences(deps.store.artifacts, { tenantId, json, values: [value], what });
  if (!isLarge(json)) return value;
  const result = { visit: 0, output: value };
  return (await offloadResult(deps, { tenantId, result, use: UNSEEN })).output;
}

/** No expression sees an entry. */
const UNSEEN = {
  outputKey: null,
  looks: {
    keys: new Set<string>(),
    ends: new Set<string>(),
    outputItself: false,
    stateItself: false,
  },
};
