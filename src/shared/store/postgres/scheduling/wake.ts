import { randomUUID } from 'node:crypto';

import type { RemoteWake } from '../../scheduling.ts';
import type { ConnectionSettings } from '../connection/session.ts';
import {
  createDedicatedConnection,
  type DedicatedConnection,
} from '../connection/dedicated-connection.ts';

/*
 * Hints to other processes by NOTIFY, on a connection of its own and outside every transaction:
 * within the step's transaction it took three quarters of the throughput, because PostgreSQL lets
 * notifying transactions commit one after another.
 *
 * A hint is sent at once when the last one is long enough ago; otherwise topics are collected and
 * sent together, one notification at a time and at most one in 8 ms. Those that do not fit into a
 * notification follow at once in the next. Unsendable hints are dropped: polling covers them. After a
 * break, a listener gets a hint for all topics.
 *
 * A payload is the sender's id and the topics, one a line; `*` stands for any. A sender with very many
 * topics sends that: it wakes everybody, and tells nobody which ends of executions are awaited.
 */

const CHANNEL = 'svc_wake';
/**
 * A transaction of its own; hints need not wait for the disk. Only for this transaction: behind a
 * pooler the session's settings would be those of commits that must wait.
 */
const NOTIFY = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;
const GATHER_MS = 8;
const RELISTEN_MS = 1_000;
/** PostgreSQL takes payloads shorter than 8000 bytes. */
const PAYLOAD_BYTES_MAX = 7_999;
/** As many as all that wait in a process by default; they make about a hundred notifications. */
const TOPICS_MAX = 20_000;
const ANY_TOPIC = '*';

export function createRemoteWake(
  settings: ConnectionSettings,
): RemoteWake & { close(): Promise<void> } {
  const sender = randomUUID();
  const waiting = new Set<string>();
  let listener: ((topics: readonly string[]) => void) | null = null;
  let sending: Promise<void> | null = null;
  let closed = false;
  let timer: { readonly cancel: () => void } | null = null;
  let relisten: NodeJS.Timeout | null = null;
  let hasListened = false;
  /** When the last notification was sent, of a clock that never goes back. */
  let sentAt = -Infinity;

  const connection: DedicatedConnection = createDedicatedConnection({
    settings: { ...settings, applicationName: `${settings.applicationName}-wake` },
    onOpen: async (client) => {
      client.on('notification', ({ payload }) => receive(payload ?? ''));
      if (listener === null) return;
      await client.query(`listen ${CHANNEL}`);
      if (hasListened) listener([ANY_TOPIC]);
      hasListened = true;
    },
    onLost: () => {
      if (listener !== null) listenAgain();
    },
  });

  function receive(payload: string): void {
    const [from, ...topics] = payload.split('\n');
    if (from !== sender && listener !== null) listener(topics);
  }

  /** Any query opens the connection, and opening it listens. */
  function listenAgain(): void {
    if (closed || relisten !== null) return;
    relisten = setTimeout(() => {
      relisten = null;
      connection.query('select 1', []).catch(() => listenAgain());
    }, RELISTEN_MS);
    relisten.unref();
  }

  function sendSoon(): void {
    if (timer !== null || sending !== null || closed) return;
    const restMs = sentAt + GATHER_MS - performance.now();
    timer = after(restMs, () => {
      timer = null;
      // Timers of Node may fire up to a millisecond too early.
      if (performance.now() < sentAt + GATHER_MS) sendSoon();
      else void sendWaiting();
    });
  }

  function sendWaiting(): Promise<void> {
    sending = sendPayload();
    return sending;
  }

  async function sendPayload(): Promise<void> {
    const payload = takePayload(sender, waiting);
    // The rest follows at once.
    sentAt = waiting.size > 0 ? -Infinity : performance.now();
    await connection.query(NOTIFY, [CHANNEL, payload]).catch(() => undefined);
    sending = null;
    if (waiting.size > 0) sendSoon();
  }

  return {
    send(topics) {
      if (closed) return;
      for (const topic of topics) waiting.add(topic);
      if (waiting.size > 0) sendSoon();
    },

    async flush() {
      await sending;
      timer?.cancel();
      timer = null;
      if (closed) return;
      while (waiting.size > 0) await sendWaiting();
    },

    async listen(onTopics) {
      const opened = listener === null;
      listener = onTopics;
      if (!opened) return;
      try {
        // The connection may have been opened by a send: then it does not listen yet.
        await connection.query(`listen ${CHANNEL}`, []);
        hasListened = true;
      } catch (error) {
        settings.onBackgroundError(error);
        listenAgain();
      }
    },

    async close() {
      closed = true;
      timer?.cancel();
      if (relisten !== null) clearTimeout(relisten);
      await connection.close();
    },
  };
}

/** Not later than the end of what the event loop is at, when there is nothing to wait for. */
function after(ms: number, action: () => void): { readonly cancel: () => void } {
  if (ms <= 0) {
    const immediate = setImmediate(action).unref();
    return { cancel: () => clearImmediate(immediate) };
  }
  const timer = setTimeout(action, ms).unref();
  return { cancel: () => clearTimeout(timer) };
}

/** Takes the oldest topics that fit, and removes them. */
function takePayload(sender: string, waiting: Set<string>): string {
  if (waiting.size > TOPICS_MAX) {
    waiting.clear();
    return `${sender}\n${ANY_TOPIC}`;
  }
  const lines = [sender];
  let bytes = Buffer.byteLength(sender);
  for (const topic of waiting) {
    bytes += 1 + Buffer.byteLength(topic);
    if (bytes > PAYLOAD_BYTES_MAX && lines.length > 1) break;
    lines.push(topic);
    waiting.delete(topic);
  }
  const payload = lines.join('\n');
  // A topic alone may be too long.
  return Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX ? `${sender}\n${ANY_TOPIC}` : payload;
}
