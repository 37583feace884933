import type { ListMember } from '../formats/find-rows.ts';
import { printNote } from '../output.ts';

/** Lists that people call by another name than the answers of the API. */
const NAMES: Readonly<Partial<Record<ListMember, string>>> = {
  groups: 'failures',
  pending: 'open approvals',
  policies: 'retention policies',
  sample: 'matching executions',
  work_items: 'dead-lettered work items',
};

/** Ends the note of a list that one command fills. */
const ADVICE: Readonly<Partial<Record<ListMember, string>>> = {
  contexts: ': add one with: svc login',
};

/** Says that a list has no rows, on stderr: a script that reads the rows gets none. */
export function noteNone(member: ListMember): void {
  printNote(`no ${NAMES[member] ?? member} found${ADVICE[member] ?? ''}`);
}

export function noteMore(cursor: string): void {
  printNote(`more results: add --all, or --cursor ${cursor}`);
}
