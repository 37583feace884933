import type { ExecutionRef, Reader } from '../caller.ts';
import { hashJson } from '../../domain/canonical-json.ts';
import { notFound, SvcError } from '../../domain/errors.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { ExecutionDocument } from '../../domain/execution/document/execution-document.ts';
import { parseExecutionId, type TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { artifactsNamedByContent, artifactsNamedIn } from '../artifacts/artifacts-named.ts';
import type { EngineDeps } from '../deps.ts';
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

export interface ExportedArtifact {
  /** Hex SHA-256 of the content. */
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  /** Null: left out, since all of them together would be too large. */
  readonly content_base64: string | null;
}

/** Contents past this are named and left out; they can be read one by one. */
const ARTIFACT_BYTES_MAX = 16 * 1024 * 1024;
/** A larger history is read in pages, or archived by `svc retention run`. */
export const EVENTS_MAX = 100_000;

export async function exportExecution(
  deps: EngineDeps,
  { tenantId }: Reader,
  { executionId: asked }: ExecutionRef,
): Promise<ExportedExecution> {
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
  const document = await executions.document(row.executionId, tenantId);
  if (document === null) throw notFound(`execution ${asked}`);
  const { definition, plan } = await deps.definitions.get(row.definitionId);
  const redacted = plan.shownPolicy !== null;
  const shown = redacted ? hideData(document, plan, deps) : document;
  const whole = {
    ...shown,
    definition: {
      definition_id: definition.definitionId,
      revision: definition.revision,
      ir_hash: definition.irHash,
      ir: definition.ir,
    },
    // A redacted export contains no artifacts, because they may hold the hidden values.
    artifacts: redacted ? [] : await readArtifacts(deps, tenantId, document),
    redacted,
  };
  return { ...whole, sha256: hashJson(whole as unknown as JsonObject) };
}

/** Snapshots and kept results are other forms of what the events tell, and are left out. */
function hideData(
  document: ExecutionDocument,
  plan: Plan,
  { pseudonym }: EngineDeps,
): ExecutionDocument {
  const { execution } = document;
  const { error } = execution;
  return {
    ...document,
    execution: {
      ...execution,
      error: error === null ? null : redactError(error, { plan, nodeId: null, pseudonym }),
    },
    events: document.events.map((event) => {
      const recorded = { ...event, nodeId: event.node_id } as unknown as RecordedEvent;
      const { payload } = redactEvent(recorded, plan, pseudonym);
      return { ...event, payload };
    }),
    snapshot: null,
    recorded_outputs: [],
  };
}

async function readArtifacts(
  { store }: EngineDeps,
  tenantId: TenantId,
  document: ExecutionDocument,
): Promise<readonly ExportedArtifact[]> {
  const exported = new Map<string, ExportedArtifact>();
  let left = ARTIFACT_BYTES_MAX;
  for (let names = artifactsNamedIn(document.events); names.length > 0;) {
    const found = await store.artifacts.find({ tenantId, hashes: names });
    const named = new Set<string>();
    for (const { hash, size, contentType } of found.toSorted((one, other) =>
      one.hash.localeCompare(other.hash),
    )) {
      const bytes = size <= left ? await readContent(store, tenantId, hash) : null;
      if (bytes !== null) {
        left -= size;
        for (const name of artifactsNamedByContent({ contentType, bytes })) named.add(name);
      }
      exported.set(hash, {
        hash,
        size,
        content_type: contentType,
        content_base64: bytes?.toString('base64') ?? null,
      });
    }
    names = [...named].filter((name) => !exported.has(name)).toSorted();
  }
  return [...exported.values()];
}

async function readContent(
  store: EngineDeps['store'],
  tenantId: TenantId,
  hash: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let position = 0; ; position += 1) {
    const chunk = await store.artifacts.readChunk({ tenantId, hash, position });
    if (chunk === null) return Buffer.concat(chunks);
    chunks.push(chunk);
  }
}
