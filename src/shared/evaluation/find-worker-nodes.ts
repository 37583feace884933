import type { Plan, PlanNode } from '../domain/workflow/plan/plan.ts';

/** Ids of the nodes whose work only a worker can do. */
export function findWorkerNodes({ nodes, parts }: Plan): readonly string[] {
  const isWorkers = ({ kind, spec }: PlanNode): boolean => {
    const tool = kind.tool?.(spec) ?? '';
    switch (kind.type) {
      case 'python_fn':
      case 'java_fn':
        return true;
      case 'tool':
        return parts.tools.get(tool)?.target.kind === 'python';
      case 'join':
        // One that merges by a function is named after it.
        return tool !== 'join';
      default:
        return false;
    }
  };
  return [...nodes.values()].filter(isWorkers).map(({ id }) => id);
}
