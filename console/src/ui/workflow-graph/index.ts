import { lazy } from 'react';

import { loadModule } from '../../api/load-module.ts';

export type { MapProgress, NodeRun } from './node-run.ts';
export type { WorkflowGraphProps } from './workflow-graph.tsx';

/** The graph is large to load, so it comes when a page first shows one. Wrap it in `Suspense`. */
export const WorkflowGraph = lazy(async () => ({
  default: (await loadModule(() => import('./workflow-graph.tsx'))).LoadedGraph,
}));
