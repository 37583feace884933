/** Between two columns. */
const GAP = 2;
const WIDTH_MIN = 12;

/**
 * Rows of a table with texts cut to fit a line of this width, as far as that is possible. A cell of one
 * word is a name, an id or a time, which people copy, so it is never cut.
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
    .map((line) => (widthOf(line) <= width ? line : `${beginOf(line, width - 1)}…`))
    .join('\n');
}

function beginOf(line: string, width: number): string {
  let begin = '';
  let left = width;
  for (const { segment } of SEGMENTER.segment(line)) {
    left -= widthOfSegment(segment);
    if (left < 0) break;
    begin += segment;
  }
  return begin;
}

function isText(cell: string): boolean {
  return /\s/.test(cell.trim());
}

function widthOf(cell: string): number {
  return Math.max(...cell.split('\n').map(widthOfLine));
}

function widthOfLine(line: string): number {
  if (Buffer.byteLength(line) === line.length) return line.length;
  return sum([...SEGMENTER.segment(line)].map(({ segment }) => widthOfSegment(segment)));
}

/** Terminals show the letters of Chinese, Japanese and Korean, and emoji, twice as wide as others. */
function widthOfSegment(segment: string): number {
  return WIDE.test(segment) ? 2 : 1;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
