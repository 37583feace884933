import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { startHttpServer } from '../support/servers/http-server.ts';
import type { EffectCall, EffectReply } from './effect.ts';

/*
 * The world that the functions change. It knows idempotency keys, survives all kills, and counts
 * effects. A strike can hit a call right before the effect or right after it.
 */

/** All calls of one operation, or of its rollback. */
export interface Effect {
  readonly tag: string;
  readonly id: string;
  readonly phase: EffectCall['phase'];
  /** How often each key came. */
  readonly keys: Map<string, number>;
  readonly seen: Set<string>;
  /** The position among all effects; null: the effect has not occurred. */
  place: number | null;
}

export interface Receiver {
  readonly url: string;
  /** The effects of a visit, in the order of their first calls. */
  effectsOf(tag: string): readonly Effect[];
  /** The executions that sent calls with this tag. */
  executionsOf(tag: string): readonly string[];
  readonly calls: number;
  close(): Promise<void>;
}

/** May kill the sender. True: the call gets no answer. */
export type Strike = (
  call: EffectCall,
  given: {
    readonly moment: 'before' | 'after';
    /** The number of this call of the operation, from 1. */
    readonly arrival: number;
  },
) => boolean;

export async function startReceiver(given: {
  readonly strike: Strike;
  readonly onCall: (call: EffectCall) => void;
}): Promise<Receiver> {
  const effects = new Map<string, Map<string, Effect>>();
  const executions = new Map<string, Set<string>>();
  let [places, calls] = [0, 0];

  function effectOf({ tag, id, phase }: EffectCall): Effect {
    const known = grow(effects, tag, () => new Map<string, Effect>());
    const made = (): Effect => ({ tag, id, phase, keys: new Map(), seen: new Set(), place: null });
    return grow(known, `${phase} ${id}`, made);
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = (await json(request)) as EffectCall;
    const key = String(request.headers['idempotency-key']);
    calls += 1;
    given.onCall(call);
    grow(executions, call.tag, () => new Set()).add(call.executionId);
    const effect = effectOf(call);
    const arrival = (effect.keys.get(key) ?? 0) + 1;
    effect.keys.set(key, arrival);
    effect.seen.add(call.seen);
    if (given.strike(call, { moment: 'before', arrival })) return void response.destroy();
    if (arrival <= call.failures) return void response.writeHead(503).end();
    if (call.phase === 'refuse') return void response.writeHead(422).end();
    places += 1;
    effect.place ??= places;
    if (given.strike(call, { moment: 'after', arrival })) return void response.destroy();
    const reply: EffectReply = { answer: answerOf(call.tag, call.id) };
    response.end(JSON.stringify(reply));
  }

  const server = await startHttpServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  return {
    url: server.url,
    effectsOf: (tag) => [...(effects.get(tag)?.values() ?? [])],
    executionsOf: (tag) => [...(executions.get(tag) ?? [])],
    get calls() {
      return calls;
    },
    close: () => server.close(),
  };
}

export function answerOf(tag: string, id: string): string {
  return `${tag} did ${id}`;
}

function grow<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
