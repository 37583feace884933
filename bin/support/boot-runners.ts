import type { NodeRunner, NodeRunners } from '../../src/shared/nodes/run.ts';

/**
 * What runs the nodes of in-engine kinds, by kind type. A runner's own connections and processes are
 * closed with `opened`.
 */
export function bootRunners(): NodeRunners {
  return new Map<string, NodeRunner>([]);
}
