import type { Fault } from '../chaos/faults/fault.ts';

/** A fault whose needs are known before there is a cluster. */
export interface FailoverFault extends Fault {
  lacks?(): string | null;
}

/** The requirements of these faults that this machine lacks, and how to add them; null: none. */
export function findLacking(faults: readonly FailoverFault[]): string | null {
  const lacking = faults.flatMap((fault) => {
    const lacks = fault.lacks?.() ?? null;
    return lacks === null ? [] : [`${fault.name}: ${lacks}`];
  });
  return lacking.length === 0 ? null : `${lacking.join('\n')}\nor choose other faults with --only`;
}
