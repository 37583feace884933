import type { WireEvent } from '../../src/shared/clients/svc/wire.ts';
import { isJsonObject } from '../../src/shared/domain/json.ts';

/** The parts of an event's payload that help to find a failure. */
export interface EventFacts {
  readonly tool: string | null;
  /** Counted from 1. */
  readonly attempt: number | null;
  /** Its first line. */
  readonly error: string | null;
}

export function factsOf({ payload }: { readonly payload?: unknown }): EventFacts {
  const { tool, attempt, error } = isJsonObject(payload) ? payload : {};
  return {
    tool: typeof tool === 'string' ? tool : null,
    attempt: typeof attempt === 'number' ? attempt + 1 : null,
    error: typeof error === 'string' ? shorten(error) : null,
  };
}

/** One event as one line: `2026-11-21T10:14:00.123Z  #3 NodeFailed charge  attempt 2: no answer`. */
export function describeEvent(event: WireEvent): string {
  const { tool, attempt, error } = factsOf(event);
  const node = event.node_id === null ? '' : ` ${event.node_id}`;
  const about = [tool, attempt === null ? null : `attempt ${attempt}`].filter(Boolean).join(', ');
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
