import type { ExecutionEvent } from '../event.ts';

/** The events of one kind. */
export type EventOf<Kind extends ExecutionEvent['kind']> = Extract<
  ExecutionEvent,
  { readonly kind: Kind }
>;
