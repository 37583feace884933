import type { ImportDocument } from './import-document.ts';
import type { Caller } from '../../caller.ts';
import { digestImported } from '../../../domain/audit/imported-executions.ts';
import { conflict, SvcError } from '../../../domain/errors.ts';
import {
  findEventProblem,
  findLengthProblem,
  findRowProblem,
  hasEnded,
} from '../../../domain/execution/document/check-history.ts';
import { emptyState } from '../../../domain/execution/draft.ts';
import { evolve, type SequencedEvent } from '../../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import { encodeState } from '../../../domain/execution/state-codec.ts';
import type { TerminalStatus } from '../../../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { KeptFailure } from '../../../store/commit.ts';
import type { ImportVerdict } from '../../../store/imports.ts';
import { causeOf } from '../../overview/cause-of.ts';
import { keepArtifacts } from '../../artifacts/keep-artifacts.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { EVENTS_MAX } from '../export-execution.ts';
import { hashInPieces, prepareInPieces } from './import-events.ts';
import { hashDocument } from './hash-document.ts';
import { findDefinition, type KnownDefinition } from './import-definition.ts';
import { inPieces } from '../../scheduling/in-pieces.ts';
import { shardOf } from '../../scheduling/shard-of.ts';

/*
 * Import of an execution that has ended, from a document.
 *
 * The document is not trusted: its events must fold, by the definition, to its row. Artifacts are
 * stored first, under their hashes, where nobody sees them if the import fails. Everything else is
 * one transaction (`ImportStore.add`), which checks again everything that may have changed, so a
 * repetition after a lost answer reports that the execution exists.
 *
 * See docs/decisions/0034-an-import-is-vouched-for-by-its-entry.md.
 */

export interface ImportExecution {
  readonly document: ImportDocument;
}

export interface ImportAnswer {
  readonly executionId: ExecutionId;
  readonly status: TerminalStatus;
  readonly events: number;
  /** False: it already existed with the same history, and nothing was written. */
  readonly isNew: boolean;
  /** It was removed here by retention, and is back. */
  readonly isRestored: boolean;
  /** Contents that its events refer to and that are neither in the document nor here, by their hashes. */
  readonly missing: readonly string[];
}

export async function importExecution(
  deps: UseCaseDeps,
  { tenantId, actorId }: Caller,
  { document }: ImportExecution,
): Promise<ImportAnswer> {
  const documentSha256 = await checkDocument(deps, document);
  const { execution } = document;
  const executionId = execution.execution_id as ExecutionId;
  const definition = await findDefinition(deps, { tenantId, document });
  const state = await fold(deps, document, { tenantId, definition });
  const wrong = findRowProblem(document, state);
  if (wrong !== null) throw refuse(wrong);
  const prepared = await prepareInPieces(deps, { tenantId, executionId, events: document.events });
  const { events, eventHashes } = prepared;
  const answer = {
    executionId,
    status: state.status as TerminalStatus,
    events: events.length,
  };

  const findSame = async (): Promise<ImportAnswer | null> => {
    const there = await deps.store.executions.find(executionId, null);
    if (there === null) return null;
    const own = there.tenantId === tenantId ? await deps.store.audit.histories([executionId]) : [];
    if ((await hashInPieces(deps, own)) !== eventHashes) throw taken(executionId);
    return { ...answer, isNew: false, isRestored: false, missing: [] };
  };
  const same = await findSame();
  if (same !== null) return same;

  const removal = await deps.store.imports.removal(executionId);
  if (removal !== null && (removal.tenantId !== tenantId || removal.eventHashes !== eventHashes)) {
    throw left(executionId);
  }
  const retirementId = removal?.retirementId ?? null;
  const { named, missing } = await keepArtifacts(deps, {
    tenantId,
    artifacts: document.artifacts ?? [],
    named: prepared.artifacts,
  });
  const told = {
    events: events.length,
    document_sha256: documentSha256,
    digest: digestImported({ executionId, documentSha256, retirementId, eventHashes }),
    from_tenant: execution.tenant_id,
    definition_id: definition.definitionId,
    ir_hash: definition.irHash,
    takes_back: retirementId,
  };
  const verdict = await deps.store.imports.add({
    importId: deps.ids.uuid(),
    tenantId,
    actorId,
    told,
    documentSha256,
    eventHashes,
    retirementId,
    execution: {
      executionId,
      parentExecutionId: state.parent?.executionId ?? null,
      status: answer.status,
      shard: shardOf(executionId),
      priority: execution.priority,
      error: state.error,
      failure: failureOf(document, state),
      labels: state.labels,
      createdAt: execution.created_at,
      completedAt: execution.completed_at ?? execution.updated_at,
    },
    events,
    artifacts: named,
    definition,
    snapshot: events.length >= SNAPSHOT_EVENTS_MIN ? encodeState(state) : null,
  });
  if (verdict === 'imported') {
    return { ...answer, isNew: true, isRestored: retirementId !== null, missing };
  }
  const meanwhile = verdict === 'there' ? await findSame() : null;
  if (meanwhile !== null) return meanwhile;
  throw explain(verdict, document);
}

/** As of those that ended here, it spares readers the folding; see `snapshot-tail.ts`. */
const SNAPSHOT_EVENTS_MIN = 256;

/** Throws for what needs nothing but the document to be seen; answers its hash. */
async function checkDocument(deps: UseCaseDeps, document: ImportDocument): Promise<string> {
  const { sha256, ...rest } = document;
  const hash = await hashDocument(deps, rest as unknown as JsonObject);
  if (sha256 !== undefined && sha256 !== hash) {
    throw refuse('its sha256 is of other content; `svc execution check-export` looks into it');
  }
  const { execution, events } = document;
  if (document.redacted === true) {
    throw refuse(
      "people's data is hidden in it, so its events are not what happened: import a line of an archive of `svc retention run`, or read the file as it is",
    );
  }
  if (!hasEnded(document)) {
    throw refuse(
      `it is ${execution.status}, and would run twice: wait for its end or cancel it where it runs, and export it again`,
    );
  }
  if (events.length > EVENTS_MAX) {
    throw new SvcError(
      'too_large',
      `the document has ${events.length} events, more than ${EVENTS_MAX}`,
    );
  }
  const problem = findLengthProblem(document);
  if (problem !== null) throw refuse(problem);
  await inPieces(deps, events, (piece, from) => {
    const found = findEventProblem(document, { from, to: from + piece.length });
    if (found !== null) throw refuse(found);
  });
  return hash;
}

async function fold(
  deps: UseCaseDeps,
  { execution, events }: ImportDocument,
  { tenantId, definition }: { readonly tenantId: TenantId; readonly definition: KnownDefinition },
): Promise<ExecutionState> {
  const { plan } = definition;
  let state = emptyState({
    executionId: execution.execution_id as ExecutionId,
    tenantId,
  });
  await inPieces(deps, events, (piece) => {
    const some = piece.map(
      (event) => ({ ...event, nodeId: event.node_id }) as unknown as SequencedEvent,
    );
    try {
      state = evolve({ state, events: some, plan });
    } catch (error) {
      // The engine's own histories always fold, so another program wrote this one.
      throw refuse('its events do not follow each other', error);
    }
  });
  return state;
}

/** As a commit keeps it. The fold has checked the message, and nobody the other members of the event. */
function failureOf(
  { events }: ImportDocument,
  { status, error }: ExecutionState,
): KeptFailure | null {
  const last = events.at(-1);
  if (status !== 'failed' || error === null || last === undefined) return null;
  const { error_class: errorClass, node_id: nodeId } = last.payload;
  return {
    nodeId: typeof nodeId === 'string' ? nodeId : null,
    ...causeOf(error, typeof errorClass === 'string' ? errorClass : 'error'),
  };
}

function explain(verdict: ImportVerdict, { execution }: ImportDocument): Error {
  switch (verdict) {
    case 'left':
      return left(execution.execution_id);
    case 'definition':
      return conflict(
        `another definition has the id ${execution.definition_id} that ${execution.execution_id} ran on`,
      );
    case 'ahead':
      return refuse('it is of a time to come: set the clock right, here or where it ran');
    case 'parent':
      return conflict(`the parent of ${execution.execution_id} is not of this tenant`);
    case 'there':
    case 'imported':
      return taken(execution.execution_id);
  }
}

function taken(executionId: string): Error {
  return conflict(`there is an execution ${executionId} already, with another history or owner`);
}

function left(executionId: string): Error {
  return conflict(
    `execution ${executionId} was removed here, and what is left of it is not of this history: only what was removed can be brought back, into its own tenant`,
  );
}

function refuse(problem: string, cause?: unknown): Error {
  return new SvcError('bad_request', `the document cannot be imported: ${problem}`, { cause });
}
