import type { Labels, LabelsOf } from '../invariants/checks/check-labels.ts';
import type { WorkflowName } from './workflows.ts';

/** Half of the starts bring labels, and one of them stands in place of the label of some workflows. */
export function labelsOfStart(token: string): Labels {
  return /[02468]$/.test(token) ? { caller: token, line: 'a start' } : {};
}

/** Each third lease gives labels with its result. */
export function labelsOfResult(fence: number): Labels | null {
  return fence % 3 === 0 ? { settled: `fence ${fence}` } : null;
}

/** An input without a token gives no such label. */
const named: LabelsOf = (token) => (token === '' ? {} : { token });

/** The labels that workflows give, as the checker knows them. */
export const LABELLED: Readonly<Partial<Record<WorkflowName, LabelsOf>>> = {
  tools: (token) => ({ line: 'tools', ...named(token) }),
  parent: (token) => ({ line: 'parent', ...named(token) }),
  fragile: named,
  rounds: named,
};
