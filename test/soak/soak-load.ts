import { setTimeout as delay } from 'node:timers/promises';

import { eventually } from '../support/eventually.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { sendRequest } from '../support/http.ts';
import { expectStatus } from '../support/tenant.ts';
import { sendJson } from '../support/shop.ts';

/*
 * Starts executions at a fixed rate, no matter how earlier ones fare; the workers of the cluster
 * perform their steps. A failed start is repeated with its key.
 */

const ANSWER_MS_MAX = 5_000;
const RETRY_MS = 500;
/** The most open starts. With more, the rate would mean nothing. */
const OPEN_MAX = 200;
const PATIENT = { max_attempts: 100, initial_delay: 0.1, max_delay: 1 };
const step = { kind: 'python_fn', module: 'chaos', function: 'effect', retry_policy: PATIENT };

const WORKFLOW = {
  workflow_id: 'soak',
  nodes: {
    first: { ...step, output_key: 'first' },
    rest: { kind: { type: 'wait', condition: 'timer', timeout_secs: '200ms' } },
    second: { ...step, output_key: 'second' },
    last: { kind: { type: 'pass', output: { done: true } } },
  },
  edges: [
    { from: 'first', to: 'rest' },
    { from: 'rest', to: 'second' },
    { from: 'second', to: 'last' },
  ],
};

export interface SoakLoad {
  readonly counts: { started: number; refused: number; skipped: number };
  /** Resolves when all starts are acknowledged. */
  startAtOnce(count: number): Promise<void>;
  setRate(perSecond: number): void;
  /** Ends the starts, and resolves when all open ones are acknowledged. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function startSoakLoad(params: {
  readonly urls: readonly string[];
  readonly apiKey: string;
  readonly seed: string;
}): Promise<SoakLoad> {
  const { urls, apiKey, seed } = params;
  let effects = 0;
  const outside = await startHttpServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => sendJson(response, { receipt: `receipt-${(effects += 1)}` }));
  });
  await eventually(async () => {
    const body = { ir: WORKFLOW };
    expectStatus(
      await sendRequest(urls[0] ?? '', { path: '/workflows', token: apiKey, body }),
      201,
    );
  });
  const counts = { started: 0, refused: 0, skipped: 0 };
  const over = new AbortController();
  const open = new Set<Promise<void>>();
  let [perSecond, number] = [0, 0];

  async function start(key: string): Promise<void> {
    const input = { token: key, outside: outside.url };
    for (let attempt = 0; ; attempt += 1) {
      const url = urls[(number + attempt) % urls.length] ?? '';
      const status = await sendRequest(url, {
        path: '/executions',
        token: apiKey,
        headers: { 'Idempotency-Key': key },
        body: { workflow_id: 'soak', input },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      }).then(
        (reply) => reply.status,
        () => 0,
      );
      if (status === 201) {
        counts.started += 1;
        return;
      }
      if (status >= 400 && status < 500) throw new Error(`a start was answered ${status}`);
      counts.refused += 1;
      await delay(RETRY_MS);
    }
  }

  async function run(): Promise<void> {
    let [due, before] = [0, performance.now()];
    while (!over.signal.aborted) {
      await delay(20);
      const now = performance.now();
      due += (perSecond * (now - before)) / 1_000;
      before = now;
      for (; due >= 1; due -= 1) {
        if (open.size >= OPEN_MAX) counts.skipped += 1;
        else {
          const started = start(`${seed}-${(number += 1)}`).finally(() => open.delete(started));
          open.add(started);
        }
      }
    }
    await Promise.all(open);
  }

  const running = run();
  return {
    counts,
    startAtOnce: async (count) => {
      await Promise.all(Array.from({ length: count }, () => start(`${seed}-${(number += 1)}`)));
    },
    setRate: (rate) => {
      perSecond = rate;
    },
    stop: async () => {
      over.abort();
      await running;
    },
    close: () => outside.close(),
  };
}
