/** How a turn ended, before its outcome is handed in. */
export type TurnEnd =
  | { readonly kind: 'returned'; readonly output: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'suspended' }
  /** All entries are given, and the turn may run nothing new. */
  | { readonly kind: 'replayed' }
  /** The signal aborted: cancelled, or the worker stops. */
  | { readonly kind: 'stopped'; readonly reason: unknown };
