import { lazy } from 'react';

export type { MapProgress, NodeRun } from './node-run.ts';
export type { WorkflowGraphProps } from './workflow-graph.tsx';

/** The graph is large to load, so it comes when a page first shows one. Wrap it in `Suspense`. */
export const WorkflowGraph = lazy(async () => ({
  default: (await import('./workflow-graph.tsx')).LoadedGraph,
}));
