import { emit, type Turn } from '../turn.ts';

/** Fails an attempt for good: no retry policy is asked. */
export function failVisit(
  turn: Turn,
  of: {
    readonly nodeId: string;
    readonly visit: number;
    readonly attempt: number;
    readonly error: string;
    readonly errorClass: string;
  },
): void {
  const { nodeId, visit, attempt, error, errorClass } = of;
  emit(turn, {
    kind: 'NodeFailed',
    nodeId,
    payload: { visit, attempt, error, error_class: errorClass, retryable: false },
  });
}
