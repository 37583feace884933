import { ApiError } from '../../../api/api-error.ts';
import { call, fetchApi } from '../../../api/client.ts';
import { readMessages } from './read-messages.ts';

export type Connection =
  /** The first answer is under way. */
  | 'opening'
  | 'live'
  /** The stream broke; the console connects again and catches up. */
  | 'lost'
  /** The execution has ended and everything is known. */
  | 'ended'
  /** The service refuses the stream for good. */
  | 'refused';

export interface Followed {
  /** Sequence of the last event that is known to exist. */
  readonly seen: number | null;
  readonly connection: Connection;
}

const RECONNECT_MS = 1_000;

/** Follows an execution's events by their sequence until it ends; survives broken connections. */
export async function followSequence(
  id: string,
  {
    signal,
    report,
  }: {
    readonly signal: AbortSignal;
    readonly report: (change: Partial<Followed>) => void;
  },
): Promise<void> {
  let seen: number | null = null;
  while (!signal.aborted) {
    try {
      seen ??= await readLastSequence(id, signal);
      report({ seen });
      const headers = { accept: 'text/event-stream', 'last-event-id': String(seen) };
      const response = await fetchApi(`executions/${encodeURIComponent(id)}/events`, {
        signal,
        headers,
      });
      if (response.status === 204 || response.body === null) return report({ connection: 'ended' });
      report({ connection: 'live' });
      for await (const message of readMessages(response.body)) {
        if (message.id === null) continue;
        seen = Number(message.id);
        report({ seen });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) return report({ connection: 'refused' });
      report({ connection: 'lost' });
      await pause(RECONNECT_MS, signal);
    }
  }
}

async function readLastSequence(id: string, signal: AbortSignal): Promise<number> {
  const { events } = await call('read-events', {
    path: { id },
    query: { order: 'desc', limit: 1, payload: 'brief' },
    signal,
  });
  return events.at(0)?.sequence ?? 0;
}

/** Too many streams may pass; everything else that the client did wrong does not. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
