import type { Fault } from './fault.ts';
import { FAILPOINTS, RARE_FAILPOINTS } from './failpoints.ts';
import { LINE_FAULTS } from './lines.ts';
import { POOLER_FAULTS } from './pooler.ts';
import { PROCESS_FAULTS } from './processes.ts';
import { SERVER_FAULTS } from './server.ts';
import { THREADS } from './threads.ts';

export const FAULTS: readonly Fault[] = [
  FAILPOINTS,
  ...RARE_FAILPOINTS,
  ...PROCESS_FAULTS,
  THREADS,
  ...LINE_FAULTS,
  ...SERVER_FAULTS,
  ...POOLER_FAULTS,
];

/** Selects faults by their names, or by common beginnings of names. */
export function selectFaults(names: readonly string[]): readonly Fault[] {
  for (const name of names) {
    if (!FAULTS.some((fault) => fault.name.startsWith(name))) {
      const known = FAULTS.map((fault) => fault.name).join(', ');
      throw new Error(`no fault is called ${name}; there are ${known}`);
    }
  }
  if (names.length === 0) return FAULTS;
  return FAULTS.filter((fault) => names.some((name) => fault.name.startsWith(name)));
}
