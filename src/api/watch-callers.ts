import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Access } from '../shared/domain/access.ts';
import { SvcError } from '../shared/domain/errors.ts';
import type { Caller, Method } from './endpoint.ts';

/**
 * Watches the callers of answers that take long. One is abandoned when the client leaves, when the
 * server begins to close, and when the caller loses its access: a token was revoked or has expired,
 * or a tenant was archived. One timer checks the access of all, so a busy stream does not avoid the
 * check, and a client that does not read the last message is disconnected.
 */
export interface CallerWatches {
  /** Once for each answer. */
  watch(answer: WatchedAnswer, long: LongAnswer): void;
}

export interface LongAnswer {
  /** Called once. Not null: the error that a new request of the caller would get. */
  abandon(refusal: SvcError | null): void;
}

/** The signal aborts when the answer is abandoned, with the refusal as its reason if there is one. */
export function watchBySignal(watches: CallerWatches, answer: WatchedAnswer): AbortSignal {
  const controller = new AbortController();
  watches.watch(answer, {
    abandon: (refusal) => controller.abort(refusal ?? undefined),
  });
  return controller.signal;
}

export interface WatchedAnswer {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: Method;
  readonly access: Access;
  readonly caller: Caller;
}

/** Answers of one caller with the same right: one look is for all. */
interface Group {
  readonly key: unknown;
  readonly watches: Set<Watch>;
}

interface Watch extends WatchedAnswer {
  readonly long: LongAnswer;
  isAbandoned: boolean;
  readonly group: Group;
  /** Set while the last words are on their way. */
  cutOff: NodeJS.Timeout | null;
}

/** Time for the last words of an answer to a client that reads slowly, or not at all. */
const LAST_WORDS_MS_MAX = 5_000;

export function createCallerWatches(deps: {
  /** Aborted when the server begins to close. */
  readonly draining: AbortSignal;
  readonly recheckMs: number;
  /** Null: a new request of the caller would be let in. */
  readonly objectionTo: (answer: WatchedAnswer) => Promise<SvcError | null>;
}): CallerWatches {
  const { draining, recheckMs, objectionTo } = deps;
  const watches = new Map<ServerResponse, Watch>();
  const groups = new Map<unknown, Group>();
  let isTicking = false;

  draining.addEventListener('abort', () => {
    for (const watch of watches.values()) abandon(watch, null);
  });

  function onClose(this: ServerResponse): void {
    const watch = watches.get(this);
    if (watch === undefined) return;
    watches.delete(this);
    leaveGroup(watch);
    if (watch.cutOff !== null) clearTimeout(watch.cutOff);
    // After a complete answer nobody listens any more.
    if (!this.writableFinished) abandon(watch, null);
  }

  function groupOf(answer: WatchedAnswer): Group {
    const key = keyOf(answer);
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group = { key, watches: new Set<Watch>() };
    groups.set(key, group);
    return group;
  }

  function leaveGroup(watch: Watch): void {
    const { key, watches: same } = watch.group;
    same.delete(watch);
    if (same.size === 0) groups.delete(key);
  }

  function tick(): void {
    if (isTicking) return;
    isTicking = true;
    // The connections keep the process alive, not this.
    setTimeout(() => void lookAtAll(), recheckMs).unref();
  }

  async function lookAtAll(): Promise<void> {
    await Promise.all([...groups.values()].map(lookAt));
    isTicking = false;
    if (watches.size > 0) tick();
  }

  async function lookAt({ watches: same }: Group): Promise<void> {
    const [first] = same;
    const objection = first === undefined ? null : await objectionTo(first);
    if (objection === null) return;
    for (const watch of same) {
      const { res } = watch;
      if (watch.isAbandoned || res.closed) continue;
      abandon(watch, objection);
      watch.cutOff = setTimeout(() => res.destroy(), LAST_WORDS_MS_MAX);
    }
  }

  return {
    watch(answer, long) {
      const { res } = answer;
      if (draining.aborted || res.destroyed) return long.abandon(null);
      const group = groupOf(answer);
      const watch = { ...answer, long, group, isAbandoned: false, cutOff: null };
      watches.set(res, watch);
      group.watches.add(watch);
      res.on('close', onClose);
      tick();
    },
  };
}

function abandon(watch: Watch, refusal: SvcError | null): void {
  if (watch.isAbandoned) return;
  watch.isAbandoned = true;
  watch.long.abandon(refusal);
}

/** Everything that decides on the access; with TLS, the certificate of each connection as well. */
function keyOf({ req, method, access, caller }: WatchedAnswer): unknown {
  const { headers, socket } = req;
  if ('encrypted' in socket) return req;
  const tenant = headers['x-tenant-id'];
  return JSON.stringify([method, access, headers.authorization, tenant, caller.tenantId]);
}

/** Why the caller would not be let in any more; null: the answer ends for another reason. */
export function refusalIn({ aborted, reason }: AbortSignal): SvcError | null {
  return aborted && reason instanceof SvcError ? reason : null;
}
