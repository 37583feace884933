import { setTimeout as delay } from 'node:timers/promises';

import type { ClusterClient } from './client.ts';

const LOOK_EVERY_MS = 100;

/**
 * Starts executions as others complete, so that some are always under way. `completed` resolves
 * when at least `count` are completed, and `done` resolves with all ids. Both reject after
 * `withinMs`.
 */
export interface Load {
  completed(count: number): Promise<void>;
  readonly done: Promise<readonly string[]>;
}

export function startLoad(params: {
  readonly client: ClusterClient;
  readonly workflowId: string;
  /** Separates the executions of this load from those of others. */
  readonly name: string;
  readonly total: number;
  readonly openMax: number;
  readonly withinMs: number;
}): Load {
  const { client, workflowId, name, total, openMax, withinMs } = params;
  const started: string[] = [];
  const complete = new Set<string>();
  const deadline = performance.now() + withinMs;
  const watchers = new Map<number, () => void>();

  async function run(): Promise<readonly string[]> {
    while (complete.size < total) {
      if (performance.now() > deadline) {
        throw new Error(`${complete.size} of ${total} completed within ${withinMs} ms`);
      }
      const room = Math.min(total - started.length, openMax - (started.length - complete.size));
      const first = started.length;
      const ids = await Promise.all(
        Array.from({ length: room }, (_, n) => client.start(workflowId, `${name}-${first + n}`)),
      );
      started.push(...ids);
      const known = new Set(started);
      for (const id of await client.list('completed')) if (known.has(id)) complete.add(id);
      for (const [count, resolve] of watchers) if (complete.size >= count) resolve();
      await delay(LOOK_EVERY_MS);
    }
    return started;
  }

  const done = run();
  return {
    done,
    completed: async (count) => {
      const reached = new Promise<void>((resolve) => watchers.set(count, resolve));
      await Promise.race([reached, done]);
    },
  };
}
