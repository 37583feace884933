import type { ToolTarget } from '../workflow/parse/parts.ts';

/**
 * Every name that policies may give one of a workflow's tools: the author chose the first, and what is
 * called has one of its own, which no choice of the author hides.
 */
export function toolNames(ref: string, target: ToolTarget): readonly [string, ...string[]] {
  switch (target.kind) {
    case 'python':
      return [ref, `${target.module}.${target.function}`];
    case 'mcp':
      return [ref, `${target.server}.${target.tool}`];
    case 'http':
      return [ref];
  }
}
