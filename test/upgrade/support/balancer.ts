import { setTimeout as delay } from 'node:timers/promises';

import { sendRequest } from '../../support/http.ts';

/*
 * A load balancer that probes readiness: requests go in turn to the targets whose last probe
 * succeeded. It never repeats a request to hide a failure.
 */

export const PROBE_EVERY_MS = 100;
const PROBE_MS_MAX = 1_000;

export interface Balancer {
  /** The target for the next request. */
  pick(): string;
  /** Uses only these targets from now on. */
  setTargets(urls: readonly string[]): void;
  /** Resolves when a probe of the target succeeds. */
  untilReady(url: string): Promise<void>;
  stop(): Promise<void>;
}

export function startBalancer(params: {
  readonly urls: readonly string[];
  readonly apiKey: string;
}): Balancer {
  const stopping = new AbortController();
  const ready = new Set<string>(params.urls);
  let [targets, turn] = [params.urls, 0];

  async function probe(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.all(
        targets.map(async (url) => {
          if (await isReady(url, params.apiKey)) ready.add(url);
          else ready.delete(url);
        }),
      );
      await delay(PROBE_EVERY_MS);
    }
  }

  const probing = probe();
  return {
    pick: () => {
      const able = targets.filter((url) => ready.has(url));
      // Without a ready target, the request goes to any of them, because the balancer must answer
      // something.
      const among = able.length > 0 ? able : targets;
      return among[(turn += 1) % among.length] ?? '';
    },
    setTargets: (urls) => {
      targets = urls;
    },
    untilReady: async (url) => {
      while (!ready.has(url)) await delay(PROBE_EVERY_MS);
    },
    stop: async () => {
      stopping.abort();
      await probing;
    },
  };
}

async function isReady(url: string, apiKey: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS_MAX);
    const headers = { Connection: 'close' };
    const { status } = await sendRequest(url, { path: '/ready', token: apiKey, signal, headers });
    return status === 200;
  } catch {
    return false;
  }
}
