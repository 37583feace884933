/** A record of a CSV text, and the line, from 1, that it begins on. */
export type CsvRecord =
  | { readonly line: number; readonly ok: true; readonly cells: readonly string[] }
  | { readonly line: number; readonly ok: false; readonly problem: string };

/**
 * Reads CSV as RFC 4180 has it: cells divided by commas, in double quotes where they hold commas,
 * quotes (doubled) or line ends. Lines end with LF or CRLF; empty ones are left out. One record is
 * in memory at a time; one longer than `charactersMax` is a problem, and so are quotes in the wrong
 * place. What follows a problem is read from the next line end on.
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

/** Where the next character stands: `closed` is right behind a quote that may have been the last. */
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
