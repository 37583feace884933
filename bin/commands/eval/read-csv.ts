/** A record of a CSV text, and the line, from 1, that it begins on. */
export type CsvRecord =
  | { readonly line: number; readonly ok: true; readonly cells: readonly string[] }
  | { readonly line: number; readonly ok: false; readonly problem: string };

/**
 * Reads CSV as RFC 4180 defines it: commas divide cells, and double quotes enclose cells that hold
 * commas, quotes (doubled) or line ends. Lines end with LF or CRLF; empty ones are left out. The
 * reader holds one record in memory. It reports a record longer than `charactersMax` or with a quote
 * in the wrong place, and continues at the next line end.
 *
 * csv-parse 7.0.3 (1.7 MB) was tried in its place. Behind a misplaced quote it takes sound records for
 * part of the cell and drops them, it names the line that a record ends on, and it reports a record
 * that is too long once for each chunk.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  { charactersMax }: { readonly charactersMax: number },
): AsyncGenerator<CsvRecord> {
  const reader = new CsvReader(charactersMax);
  for await (const chunk of text) {
    for (const character of chunk) {
      const record = reader.take(character);
      if (record !== null) yield record;
    }
  }
  const last = reader.end();
  if (last !== null) yield last;
}

/** The reader's place in a record: `closed` directly follows a quote that may end the cell. */
type Place = 'start' | 'plain' | 'quoted' | 'closed' | 'lost';

class CsvReader {
  readonly #charactersMax: number;
  #place: Place = 'start';
  #cells: string[] = [];
  #cell: string[] = [];
  #characters = 0;
  #line = 1;
  #recordLine = 1;
  #problem = '';

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  take(character: string): CsvRecord | null {
    if (character === '\n') this.#line += 1;
    this.#characters += 1;
    if (this.#characters > this.#charactersMax && this.#place !== 'lost') {
      this.#lose(`longer than ${this.#charactersMax} characters`);
    }
    switch (this.#place) {
      case 'quoted':
        if (character === '"') this.#place = 'closed';
        else this.#cell.push(character);
        return null;
      case 'closed':
        if (character !== '"') return this.#takeUnquoted(character);
        this.#cell.push('"');
        this.#place = 'quoted';
        return null;
      case 'lost':
        return character === '\n' ? this.#endRecord() : null;
      case 'start':
      case 'plain':
        return this.#takeUnquoted(character);
    }
  }

  end(): CsvRecord | null {
    if (this.#place === 'quoted') this.#lose('a quoted cell does not end');
    return this.#characters === 0 ? null : this.#endRecord();
  }

  #takeUnquoted(character: string): CsvRecord | null {
    if (character === '\n') return this.#endRecord();
    // Before a line feed it belongs to the line end; nothing else has a use for it.
    if (character === '\r') return null;
    if (character === ',') {
      this.#endCell();
    } else if (this.#place === 'closed') {
      this.#lose('text follows the closing quote of a cell');
    } else if (character === '"') {
      if (this.#place === 'start') this.#place = 'quoted';
      else this.#lose('a quote inside an unquoted cell');
    } else {
      this.#place = 'plain';
      this.#cell.push(character);
    }
    return null;
  }

  #endCell(): void {
    this.#cells.push(this.#cell.join(''));
    this.#cell = [];
    this.#place = 'start';
  }

  #lose(problem: string): void {
    this.#place = 'lost';
    this.#problem = problem;
    this.#cells = [];
    this.#cell = [];
  }

  #endRecord(): CsvRecord | null {
    const line = this.#recordLine;
    const isLost = this.#place === 'lost';
    const isEmpty = this.#place === 'start' && this.#cells.length === 0;
    if (!isLost) this.#endCell();
    const cells = this.#cells;
    this.#cells = [];
    this.#place = 'start';
    this.#characters = 0;
    this.#recordLine = this.#line;
    if (isLost) return { line, ok: false, problem: this.#problem };
    return isEmpty ? null : { line, ok: true, cells };
  }
}
