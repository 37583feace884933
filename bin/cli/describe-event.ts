import type { WireEvent } from '../../src/shared/clients/svc/wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';

/** The parts of an event's payload that help to find a failure. */
export interface EventFacts {
  readonly tool: string | null;
  /** The steps of a durable function that the event records, or the waits that begin with it. */
  readonly steps: string | null;
  /** Counted from 1. */
  readonly attempt: number | null;
  /** Its first line. */
  readonly error: string | null;
}

export function factsOf({ payload }: { readonly payload?: unknown }): EventFacts {
  const { tool, attempt, error, entries, waits } = isJsonObject(payload) ? payload : {};
  const recorded = [...objectsIn(entries), ...objectsIn(waits)];
  const failure = typeof error === 'string' ? error : failureIn(recorded);
  return {
    tool: typeof tool === 'string' ? tool : null,
    steps: identitiesIn(recorded).join(', ') || null,
    attempt: typeof attempt === 'number' ? attempt + 1 : null,
    error: failure === null ? null : shorten(failure),
  };
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function identitiesIn(recorded: readonly JsonObject[]): readonly string[] {
  return recorded.flatMap(({ identity }) => (typeof identity === 'string' ? [identity] : []));
}

/** The error of the first step that failed; null: none did. */
function failureIn(recorded: readonly JsonObject[]): string | null {
  for (const { error } of recorded) {
    const message = isJsonObject(error) ? error['message'] : undefined;
    if (typeof message === 'string') return message;
  }
  return null;
}

/** One event as one line: `2026-11-21T10:14:00.123Z  #3 NodeFailed charge  attempt 2: no answer`. */
export function describeEvent(event: WireEvent): string {
  const { tool, steps, attempt, error } = factsOf(event);
  const node = event.node_id === null ? '' : ` ${event.node_id}`;
  const about = [tool, steps, attempt === null ? null : `attempt ${attempt}`]
    .filter(Boolean)
    .join(', ');
  const facts = [about, error].filter(Boolean).join(': ');
  const line = `${event.created_at}  #${event.sequence} ${event.kind}${node}`;
  return facts === '' ? line : `${line}  ${facts}`;
}

const ERROR_CHARACTERS_MAX = 160;

/** Tracebacks have many lines; the whole error is in the JSON output. */
function shorten(error: string): string {
  const [first = ''] = error.trim().split('\n');
  const isCut = first.length > ERROR_CHARACTERS_MAX;
  return isCut ? `${first.slice(0, ERROR_CHARACTERS_MAX - 1)}…` : first;
}
