import type { Logger } from '../worker/logger.ts';
import type { Turn } from './turn.ts';

/** Tools that the parts of a turn share. */
export interface TurnTools {
  readonly turn: Turn;
  /** The idempotency key of the item: it names the visit. */
  readonly visitKey: string;
  readonly stopped: AbortSignal;
  readonly logger: Logger;
  readonly nowMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}
