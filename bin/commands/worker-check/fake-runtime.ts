import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { CallLog, HeldLease } from './call-log.ts';
import type { Case, MischiefAction } from './case-file.ts';
import { MischiefMaker } from './mischief-maker.ts';
import { applyMembers, type PlayedItem, type PlayedItems, type Served } from './played-items.ts';
import { readRequest, type ReadRequest } from './read-request.ts';
import { addedBy, shapeAnswer, shapeJournal } from './shape-answer.ts';

/*
 * A runtime on a loopback port that serves the items of one case, and makes its mischief. It keeps the
 * rules of the protocol: everything that it answers, a real runtime can answer.
 */

export interface FakeRuntime {
  readonly url: string;
  close(): Promise<void>;
}

/** Items come by time and by calls; a waiting claim looks so often. */
const LOOK_MS = 10;
const WAIT_MS_MAX = 20_000;

export async function startFakeRuntime(played: {
  readonly of: Case;
  readonly token: string;
  readonly log: CallLog;
  readonly items: PlayedItems;
}): Promise<FakeRuntime> {
  const closing = new AbortController();
  const serving = new Serving(played, closing.signal);
  let failure: Error | null = null;
  const server = createServer((request, response) => {
    serving.serve(request, response).catch((error: Error) => {
      // A worker that is killed may be in the middle of a request.
      if (!request.destroyed || request.complete) failure ??= error;
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    closing.abort();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    await serving.idle();
    // A mistake of the kit says nothing about the worker.
    if (failure !== null) throw failure;
  };
  let closed: Promise<void> | null = null;
  return { url: `http://127.0.0.1:${port}`, close: () => (closed ??= close()) };
}

/** How the calls of a request end for the worker. */
interface Ending {
  readonly status: number | null;
  readonly results?: readonly Served[];
  readonly got?: readonly PlayedItem[];
}

class Serving {
  readonly #log: CallLog;
  readonly #items: PlayedItems;
  readonly #token: string;
  readonly #isPlain: boolean;
  readonly #mischief: MischiefMaker;
  readonly #closing: AbortSignal;
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    played: {
      readonly of: Case;
      readonly token: string;
      readonly log: CallLog;
      readonly items: PlayedItems;
    },
    closing: AbortSignal,
  ) {
    this.#log = played.log;
    this.#items = played.items;
    this.#token = played.token;
    this.#isPlain = played.of.plain === true;
    this.#mischief = new MischiefMaker(played.of.mischief ?? []);
    this.#closing = closing;
  }

  serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const served = this.#serve(request, response).finally(() => this.#underWay.delete(served));
    this.#underWay.add(served);
    return served;
  }

  /** Resolves when every request has been recorded. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const beganAt = performance.now();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const read = await readRequest(request, { token: this.#token, isPlain: this.#isPlain });
    const record = this.#recorderOf(read, beganAt);
    if (read.refusal !== null) {
      record({ status: read.refusal.status });
      return sendJson(response, read.refusal);
    }
    const actions = read.parts.map(({ kind, itemId }) =>
      this.#mischief.take(kind, itemId === null ? [] : this.#namesOf(itemId), beganAt),
    );
    const refused = actions.find(refusesRequest);
    if (refused !== undefined) return this.#refuse(refused, { record, response });
    const results = this.#serveParts(read, actions);
    const got = await this.#claimFor(read, gone.signal);
    const all = [...actions, this.#mischiefOnDelivery(got ?? [])];
    for (const action of all) {
      if (action !== null && 'delay_ms' in action) await this.#pause(action.delay_ms, gone.signal);
    }
    const isLost = all.some((action) => action !== null && 'lose' in action);
    if (isLost || gone.signal.aborted) {
      this.#answerIsLost(read, got ?? []);
      record({ status: null, got: got ?? [] });
      response.destroy();
      return;
    }
    record({ status: 200, results, got: got ?? [] });
    sendJson(response, shapeAnswer(read, { results, got, added: addedBy(all) }));
  }

  /** Gives what notes the calls of a request at its end. */
  #recorderOf(read: ReadRequest, beganAt: number): (ending: Ending) => void {
    const held = read.parts.map(({ itemId }) => this.#heldBy(itemId));
    return ({ status, results = [], got = [] }) => {
      const endedAt = performance.now();
      read.parts.forEach(({ kind, itemId, body }, index) => {
        this.#log.add({
          kind,
          item: this.#items.find(itemId)?.of.name ?? null,
          got: kind === 'claim' ? got.map(({ of }) => of.name) : [],
          body,
          status: status === 200 ? (results[index]?.status ?? 200) : status,
          beganAt,
          endedAt,
          held: held[index] ?? null,
          fault: read.fault,
        });
      });
    };
  }

  #mischiefOnDelivery(got: readonly PlayedItem[]): MischiefAction | null {
    if (got.length === 0) return null;
    const names = got.map(({ of }) => of.name);
    return this.#mischief.take('claim', names, performance.now());
  }

  #refuse(
    action: MischiefAction,
    to: { readonly record: (ending: Ending) => void; readonly response: ServerResponse },
  ): void {
    if (!('answer' in action)) {
      to.record({ status: null });
      to.response.destroy();
      return;
    }
    const { status, headers = {}, body = { error: `status ${status}` }, text } = action.answer;
    // Text that is no JSON comes from something between the worker and the runtime.
    to.record({ status: text === undefined ? status : null });
    const type = text === undefined ? 'application/json' : 'text/html';
    to.response.writeHead(status, { 'content-type': type, ...headers });
    to.response.end(text ?? JSON.stringify(body));
  }

  #serveParts({ parts }: ReadRequest, actions: readonly (MischiefAction | null)[]): Served[] {
    return parts.map(({ kind, itemId, body }, index) => {
      const item = this.#items.find(itemId);
      const action = actions[index] ?? null;
      if (kind === 'claim') return { status: 200, body: {} };
      if (kind === 'register') return FORBIDDEN;
      if (kind === 'journal') return shapeJournal(item);
      if (action !== null && 'take_back' in action && item !== null) {
        this.#items.takeBack(item, action.take_back);
      }
      if (action !== null && 'answer' in action) {
        const { status, body: said = { error: `status ${status}` } } = action.answer;
        if (item !== null && (status === 404 || status === 409))
          this.#items.takeBack(item, 'ended');
        return { status, body: said as Served['body'] };
      }
      const served = this.#items.serve(kind, item, body);
      if (action === null || !('add' in action)) return served;
      return { ...served, body: applyMembers(served.body, action.add) };
    });
  }

  /** Null: the request claims nothing. */
  async #claimFor(read: ReadRequest, gone: AbortSignal): Promise<readonly PlayedItem[] | null> {
    const { claim } = read;
    if (claim === null) return null;
    const until = performance.now() + Math.min(claim.waitMs, WAIT_MS_MAX);
    for (;;) {
      if (gone.aborted) return [];
      const got = this.#items.claim(claim);
      if (got.length > 0 || performance.now() >= until || this.#closing.aborted) return got;
      await this.#pause(LOOK_MS, gone);
    }
  }

  /** A worker that can't repeat its claim gets the items again under another lease. */
  #answerIsLost({ claim }: ReadRequest, got: readonly PlayedItem[]): void {
    if (claim === null || claim.claimId !== null) return;
    for (const item of got) this.#items.takeBack(item, 'again');
  }

  async #pause(ms: number, gone: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([gone, this.#closing]);
    await delay(ms, undefined, { signal }).catch(() => undefined);
  }

  #heldBy(itemId: string | null): HeldLease | null {
    const item = this.#items.find(itemId);
    const fence = item?.fences.at(-1);
    return item === null || fence === undefined
      ? null
      : { fence, fences: [...item.fences], key: item.key };
  }

  #namesOf(itemId: string): readonly string[] {
    const name = this.#items.find(itemId)?.of.name;
    return name === undefined ? [] : [name];
  }
}

/** Workers with a token of the role worker may not register; others have registered the functions. */
const FORBIDDEN = { status: 403, body: { error: 'forbidden: the role worker may not register' } };

/** These say something about the request, and not about one of its calls. */
const ABOUT_REQUEST: ReadonlySet<number> = new Set([401, 403, 408, 429]);

function refusesRequest(action: MischiefAction | null): action is MischiefAction {
  if (action === null) return false;
  if ('lose' in action) return action.lose === 'request';
  if (!('answer' in action)) return false;
  const { status, alone = false, text } = action.answer;
  return text !== undefined || (!alone && (ABOUT_REQUEST.has(status) || status >= 500));
}

function sendJson(response: ServerResponse, { status, body }: Served): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
