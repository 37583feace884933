import type { Leg } from './leg.ts';

/** Every leg of `npm run test:protocols`, in the order they run. Each has a file of its own. */
export const LEGS: readonly Leg[] = [];
