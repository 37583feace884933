/** How a turn ended, before its outcome is handed in. */
export type TurnEnd =
  | { readonly kind: 'returned'; readonly output: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** The code called `ctx.continueAsNew` with the input of the next visit. */
  | { readonly kind: 'continued'; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'suspended' }
  /** All entries are given, and the turn may run nothing new. */
  | { readonly kind: 'replayed' }
  /** The signal aborted: cancelled, or the worker stops. */
  | { readonly kind: 'stopped'; readonly reason: unknown };

/**
 * Whether the steps under way end before the turn does: a rollback has to know of them, and the next
 * visit cannot run them again.
 */
export function awaitsSteps({ kind }: TurnEnd): boolean {
  return kind === 'threw' || kind === 'continued';
}
