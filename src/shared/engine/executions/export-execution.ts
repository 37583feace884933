import type { ExecutionRef, Reader } from '../caller.ts';
import { notFound, SvcError } from '../../domain/errors.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import { createDocumentDigest } from '../../domain/execution/document/document-digest.ts';
import type {
  DocumentedEvent,
  DocumentHead,
  ExecutionDocument,
} from '../../domain/execution/document/execution-document.ts';
import { parseExecutionId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { ExecutionRow } from '../../store/store.ts';
import { readEventsOf } from '../advance/load-execution.ts';
import { hashesIn } from '../artifacts/artifacts-named.ts';
import type { EngineDeps } from '../deps.ts';
import { EVENTS_AT_A_TIME, letOthersRun } from '../scheduling/in-pieces.ts';
import { type ExportedArtifact, readArtifacts } from './read-artifacts.ts';
import { redactEvent, redactError } from './redact-view.ts';

/**
 * A whole execution for a file: what an archive holds of it, and beside that its definition and the
 * contents that its events refer to, so that the file can be read without the database. Where a data
 * policy holds, people's data is shown as everywhere: the file is then no copy, and says so.
 */
export interface ExportedExecution extends ExecutionDocument {
  readonly definition: NonNullable<ExecutionDocument['definition']> & { readonly ir: JsonObject };
  readonly artifacts: readonly ExportedArtifact[];
  /** Something was hidden or left out for the data policy of the workflow. */
  readonly redacted: boolean;
  /** Hex SHA-256 of the canonical JSON of all else. */
  readonly sha256: string;
}

/** A larger history is read in pages, or archived by `svc retention run`. */
export const EVENTS_MAX = 100_000;

/**
 * The JSON text of an `ExportedExecution`, piece by piece, so that a long history is never held as a
 * whole. An error before the first piece is thrown here; a later one cuts the text off.
 *
 * The events are read twice. The hash is over the canonical JSON, in which the artifacts come first,
 * and only the events name them.
 */
export async function exportExecution(
  deps: Pick<EngineDeps, 'store' | 'definitions' | 'timers' | 'pseudonym'>,
  { tenantId }: Reader,
  { executionId: asked }: ExecutionRef,
): Promise<AsyncGenerator<string, void, undefined>> {
  const { executions } = deps.store;
  const executionId = parseExecutionId(asked);
  const row = executionId && (await executions.find(executionId, tenantId));
  if (row === null) throw notFound(`execution ${asked}`);
  if (row.lastSequence > EVENTS_MAX) {
    throw new SvcError(
      'too_large',
      `execution ${row.executionId} has ${row.lastSequence} events, more than ${EVENTS_MAX}: read GET /executions/{id}/events in pages`,
    );
  }
  const document = await executions.documentHead(row.executionId, tenantId);
  if (document === null) throw notFound(`execution ${asked}`);
  const { definition, plan } = await deps.definitions.get(row.definitionId);
  const redacted = plan.shownPolicy !== null;
  const history = { ...row, lastSequence: document.execution.last_sequence };
  const head = {
    ...(redacted ? hideData(document, plan, deps) : document),
    definition: {
      definition_id: definition.definitionId,
      revision: definition.revision,
      ir_hash: definition.irHash,
      ir: definition.ir,
    },
    // A redacted export contains no artifacts, because they may hold the hidden values.
    artifacts: redacted
      ? []
      : await readArtifacts(deps, tenantId, await findArtifacts(deps, history)),
    redacted,
  };
  return write(
    head,
    readPages(deps, history, (event) => shape(event, plan, deps)),
  );
}

async function* write(
  head: Omit<ExportedExecution, 'events' | 'sha256'>,
  pages: AsyncGenerator<readonly DocumentedEvent[]>,
): AsyncGenerator<string, void, undefined> {
  const { format, execution, definition, snapshot, artifacts, redacted } = head;
  const outputs = head.recorded_outputs;
  const digest = createDocumentDigest();
  const json = (value: object | null): JsonValue => value as JsonValue;
  digest.list('artifacts');
  for (const artifact of artifacts) digest.items([json(artifact)]);
  digest.endList();
  digest.member('definition', json(definition));
  digest.list('events');
  yield `{"format":${JSON.stringify(format)},"execution":${JSON.stringify(execution)},`;
  yield `"definition":${JSON.stringify(definition)},"events":[`;
  let separator = '';
  for await (const page of pages) {
    digest.items(page.map(json));
    yield separator + page.map((event) => JSON.stringify(event)).join(',');
    separator = ',';
  }
  digest.endList();
  digest.member('execution', json(execution));
  digest.member('format', format);
  digest.member('recorded_outputs', outputs.map(json));
  digest.member('redacted', redacted);
  digest.member('snapshot', json(snapshot));
  yield `],"snapshot":${JSON.stringify(snapshot)},"recorded_outputs":${JSON.stringify(outputs)},`;
  yield '"artifacts":[';
  for (const [index, artifact] of artifacts.entries()) {
    yield (index === 0 ? '' : ',') + JSON.stringify(artifact);
  }
  yield `],"redacted":${redacted},"sha256":"${digest.end()}"}`;
}

/** All events of the history, some at a time. */
async function* readPages<Shown>(
  { store, timers }: Pick<EngineDeps, 'store' | 'timers'>,
  row: ExecutionRow,
  show: (event: RecordedEvent) => Shown,
): AsyncGenerator<readonly Shown[]> {
  for (let after = 0; after < row.lastSequence;) {
    const limit = Math.min(EVENTS_AT_A_TIME, row.lastSequence - after);
    const page = await readEventsOf(store.executions, { row, after, limit });
    const last = page.at(-1);
    if (last === undefined) throw new Error(`the history of ${row.executionId} is not whole`);
    yield page.map(show);
    after = last.sequence;
    await letOthersRun(timers);
  }
}

function shape(
  recorded: RecordedEvent,
  plan: Plan,
  { pseudonym }: Pick<EngineDeps, 'pseudonym'>,
): DocumentedEvent {
  const { sequence, kind, nodeId, payload, actorId, createdAt } = redactEvent(
    recorded,
    plan,
    pseudonym,
  );
  return {
    sequence,
    kind,
    node_id: nodeId,
    payload,
    actor_id: actorId,
    created_at: createdAt,
  };
}

/** Snapshots and kept results are other forms of what the events tell, and are left out. */
function hideData(
  document: DocumentHead,
  plan: Plan,
  { pseudonym }: Pick<EngineDeps, 'pseudonym'>,
): DocumentHead {
  const { execution } = document;
  const { error } = execution;
  return {
    ...document,
    execution: {
      ...execution,
      error: error === null ? null : redactError(error, { plan, nodeId: null, pseudonym }),
    },
    snapshot: null,
    recorded_outputs: [],
  };
}

/** The contents that the events refer to, by their hashes in hex, sorted. */
async function findArtifacts(
  deps: Pick<EngineDeps, 'store' | 'timers'>,
  row: ExecutionRow,
): Promise<readonly string[]> {
  const hashes = new Set<string>();
  const namedBy = ({ payload }: RecordedEvent) => hashesIn(JSON.stringify(payload));
  for await (const page of readPages(deps, row, namedBy)) {
    for (const hash of page.flat()) hashes.add(hash);
  }
  return [...hashes].toSorted();
}
