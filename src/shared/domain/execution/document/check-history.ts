import { isJsonObject, type JsonValue } from '../../json.ts';
import type { ExecutionDocument } from './execution-document.ts';
import type { ExecutionState } from '../state.ts';
import { isTerminal, type ExecutionStatus } from '../status.ts';

/*
 * Checks whether the document of an execution is consistent. Anybody may have written the file, so
 * its row is not trusted: every field of the row must match the events.
 */

type Whole = Pick<ExecutionDocument, 'execution' | 'events'>;

/** Checks the length of a history. Returns what is wrong, or null. */
export function findLengthProblem({ execution, events }: Whole): string | null {
  if (events.length !== execution.last_sequence) {
    return `it has ${events.length} events, but its last_sequence is ${execution.last_sequence}`;
  }
  return events.length === 0 ? 'it has no events' : null;
}

/** Checks some events of a history, from an index on, before they are folded. */
export function findEventProblem(
  { events }: Pick<Whole, 'events'>,
  { from, to }: { readonly from: number; readonly to: number },
): string | null {
  let before = events[from - 1]?.created_at ?? '';
  for (const [index, event] of events.slice(from, to).entries()) {
    const at = from + index;
    const { sequence, kind, payload, created_at: createdAt } = event;
    if (sequence !== at + 1) return `its event ${at + 1} is numbered ${sequence}`;
    const where = `its event ${sequence}, ${kind},`;
    if (createdAt < before) return `${where} is older than the one before it`;
    before = createdAt;
    if ((kind === 'WorkflowStarted') !== (at === 0)) {
      return at === 0 ? 'its first event is not WorkflowStarted' : `${where} comes a second time`;
    }
    if (END_KINDS.has(kind) !== (at === events.length - 1)) {
      return END_KINDS.has(kind) ? `events follow its end, event ${sequence}` : NO_END;
    }
    if (holdsForbiddenKey(payload)) return `${where} contains a key that is not allowed`;
  }
  return null;
}

const END_KINDS: ReadonlySet<string> = new Set([
  'WorkflowCompleted',
  'WorkflowFailed',
  'WorkflowCancelled',
]);

/** No state contains keys that reach a prototype. The reader has already limited the depth. */
function holdsForbiddenKey(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (!isJsonObject(value)) return value.some(holdsForbiddenKey);
  return Object.entries(value).some(
    ([key, member]) => FORBIDDEN_KEYS.has(key) || holdsForbiddenKey(member),
  );
}

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const NO_END = 'its last event does not end it';

/** Compares the row with `state`, the folded events. Returns the difference, or null. */
export function findRowProblem({ execution, events }: Whole, state: ExecutionState): string | null {
  const first = events[0]?.created_at;
  const last = events.at(-1)?.created_at;
  const pairs: readonly (readonly [string, string | null, string | null | undefined])[] = [
    ['status', execution.status, state.status],
    ['error', execution.error, state.error],
    ['workflow_id', execution.workflow_id, state.workflowId],
    ['workflow_version', execution.workflow_version, state.workflowVersion],
    ['definition_id', execution.definition_id, state.definitionId],
    ['parent_execution_id', execution.parent_execution_id, state.parent?.executionId ?? null],
    ['created_at', execution.created_at, first],
    ['updated_at', execution.updated_at, last],
    ['completed_at', execution.completed_at, last],
  ];
  const wrong = pairs.find(([, said, told]) => said !== told);
  return wrong === undefined ? null : `its ${wrong[0]} does not match its events`;
}

/** An imported execution that has not ended would run in two places. */
export function hasEnded({ execution }: Pick<ExecutionDocument, 'execution'>): boolean {
  return isTerminal(execution.status as ExecutionStatus);
}
