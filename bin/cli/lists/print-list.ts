import type { ListMember } from '../formats/find-rows.ts';
import { printTable, type Columns } from '../print-table.ts';
import { noteNone } from './notes.ts';

/** Prints the rows of a list under their headings. Every list in table form comes through here. */
export function printList({ member, ...table }: Columns & { readonly member: ListMember }): void {
  if (table.rows.length === 0) noteNone(member);
  else printTable(table);
}
