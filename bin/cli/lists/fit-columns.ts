import stringWidth from 'string-width';

/** Between two columns. */
const GAP = 2;
const WIDTH_MIN = 12;

/**
 * Rows of a table with texts cut to fit a line of this width, as far as that is possible. People copy names,
 * ids, times and addresses, so these are never cut.
 */
export function fitColumns(
  {
    head,
    rows,
  }: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] },
  lineWidth: number,
): readonly (readonly string[])[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const floors = head.map((title, column) => {
    const whole = rows.map((row) => row[column] ?? '').filter((cell) => !isText(cell));
    return Math.max(title.length, WIDTH_MIN, ...whole.map(widthOf));
  });
  let excess = sum(widths) + GAP * (head.length - 1) - lineWidth;
  while (excess > 0) {
    const column = widestAbove(widths, floors);
    if (column === null) break;
    widths[column] = (widths[column] ?? 0) - 1;
    excess -= 1;
  }
  return rows.map((row) => row.map((cell, column) => cut(cell, widths[column] ?? cell.length)));
}

/** The widest column that may be narrower; null: there is none. */
function widestAbove(widths: readonly number[], floors: readonly number[]): number | null {
  let widest: number | null = null;
  for (const [column, width] of widths.entries()) {
    if (width <= (floors[column] ?? width)) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = column;
  }
  return widest;
}

function cut(cell: string, width: number): string {
  if (!isText(cell)) return cell;
  return cell
    .split('\n')
    .map((line) => (stringWidth(line) <= width ? line : `${beginOf(line, width - 1)}…`))
    .join('\n');
}

function beginOf(line: string, width: number): string {
  let begin = '';
  let left = width;
  for (const { segment } of SEGMENTER.segment(line)) {
    left -= stringWidth(segment);
    if (left < 0) break;
    begin += segment;
  }
  return begin;
}

function isText(cell: string): boolean {
  const word = cell.trim();
  if (/\s/.test(word)) return true;
  return word.length > WORD_LENGTH && !NAME.test(word);
}

/** A longer word may be JSON, or a sentence of a language that has no spaces. */
const WORD_LENGTH = 40;
/** No id is longer than 256 characters. */
const NAME = /^[\w.:/@+~#%?&=,-]{1,256}$/;

function widthOf(cell: string): number {
  return Math.max(...cell.split('\n').map((line) => stringWidth(line)));
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
