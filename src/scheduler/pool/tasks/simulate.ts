import { simulateRun } from '../../../shared/engine/simulation/simulate-run.ts';
import { announceStart } from './announce-start.ts';

/** A run in memory: its expressions are users' programs, so it runs where it can be cut off. */
export const simulate = announceStart(simulateRun);
