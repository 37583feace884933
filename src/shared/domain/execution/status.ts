/** Execution status values of the interface document, "States and transitions". */
export const EXECUTION_STATUSES = [
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const;

export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export function isTerminal(status: ExecutionStatus): status is TerminalStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
