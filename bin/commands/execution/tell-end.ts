import type { WireExecution, WireFailure } from '../../../src/shared/clients/svc/wire.ts';

/** How it will end once its undos and finalizers are done, with its first cause; null: it is not ending. */
export function tellEnding(of: {
  readonly ending?: { readonly outcome: string } | null;
  readonly failure?: WireFailure | null;
}): string | null {
  const { ending, failure } = of;
  if (!ending) return null;
  return failure ? `${ending.outcome}: ${failure.error} (${failure.error_class})` : ending.outcome;
}

/** Null: no step that has an undo was undone, or is to be. */
export function tellUndo({ undo, ending }: WireExecution): string | null {
  if (!undo) return null;
  const { pending, under_way: underWay = 0, undone, not_undone: failed } = undo;
  const parts = [
    `${undone} undone`,
    ...(ending ? [`${underWay} under way`, `${pending} to begin`] : []),
    ...failed.map(({ node_id: node, error }) => `not ${node}: ${error}`),
  ];
  return undone === 0 && failed.length === 0 && !ending ? null : parts.join(', ');
}
