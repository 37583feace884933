import { styleText } from 'node:util';

import Table from 'cli-table3';

import { fitColumns } from './lists/fit-columns.ts';
import { showText } from './output.ts';

export interface Columns {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number | null | undefined)[])[];
}

/**
 * Columns under their headings, without any frame, so that cut and awk can work with it. A terminal
 * shows statuses in colours, unless NO_COLOR is set, and texts as long as its lines allow.
 */
export function printTable(params: Columns): void {
  const head = params.head.map(showText);
  const whole = params.rows.map((row) => row.map(textOf));
  const { isTTY, columns } = process.stdout;
  const rows = isTTY && columns > 0 ? fitColumns({ head, rows: whole }, columns) : whole;
  const table = new Table({ head, chars: NO_FRAME, style: NO_STYLE });
  for (const row of rows) table.push(row.map(showCell));
  for (const line of table.toString().split('\n')) process.stdout.write(`${line.trimEnd()}\n`);
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

function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined || value === '' ? '-' : showText(String(value));
}

function showCell(text: string): string {
  const style = STYLES[text];
  return style === undefined ? text : styleText(style, text, { stream: process.stdout });
}

/** By the words of the API that say how something fares. */
const STYLES: Readonly<Record<string, 'red' | 'green' | 'yellow' | 'cyan'>> = {
  completed: 'green',
  delivered: 'green',
  active: 'green',
  approved: 'green',
  running: 'cyan',
  paused: 'yellow',
  suspended: 'yellow',
  cancelled: 'yellow',
  failed: 'red',
  rejected: 'red',
  dead_lettered: 'red',
};
