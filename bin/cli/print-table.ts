import Table from 'cli-table3';

import { printLine } from './output.ts';

/** Columns under their headings, without any frame, so that cut and awk can work with it. */
export function printTable(params: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number | null | undefined)[])[];
}): void {
  const table = new Table({ head: [...params.head], chars: NO_FRAME, style: NO_STYLE });
  for (const row of params.rows) table.push(row.map(showCell));
  for (const line of table.toString().split('\n')) printLine(line.trimEnd());
}

const NO_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const NO_STYLE = { 'padding-left': 0, 'padding-right': 0, head: [], border: [] };

function showCell(value: string | number | null | undefined): string {
  return value === null || value === undefined || value === '' ? '-' : String(value);
}
