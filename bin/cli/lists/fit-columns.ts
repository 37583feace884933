/** Between two columns. */
const GAP = 2;
const WIDTH_MIN = 12;

/**
 * Rows of a table with texts cut to fit a line of this many characters, as far as that is possible. A
 * cell of one word is a name, an id or a time, which people copy, so it is never cut.
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
    .map((line) => {
      const characters = Array.from(line);
      return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
    })
    .join('\n');
}

function isText(cell: string): boolean {
  return /\s/.test(cell.trim());
}

function widthOf(cell: string): number {
  return Math.max(...cell.split('\n').map((line) => Array.from(line).length));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
