import { SECTIONS, type ColumnOf, type CommitColumn, type SectionName } from './batch.ts';

/** Shared by the two commit statements: parameters by name, and a bounded number of texts. */

export interface CommitStatement {
  readonly name: string;
  readonly text: string;
  readonly columns: readonly CommitColumn[];
}

export interface Parameters {
  /** The parameter that carries a column: `$4::uuid[]`. */
  array<Name extends SectionName>(section: Name, column: ColumnOf<Name>): string;
  /**
   * A section as a table: `unnest($1::int4[], …) as s (position, …)`. Without `columns` it has
   * `position` and all columns of the section.
   */
  table<Name extends SectionName>(
    section: Name,
    alias: string,
    columns?: readonly ColumnOf<Name>[],
  ): string;
  /**
   * Columns for a `select` list: `unnest($1::uuid[]) as execution_id, …`. The server streams their
   * rows; it would materialize a table and read it again.
   */
  list<Name extends SectionName>(section: Name, columns: readonly ColumnOf<Name>[]): string;
}

/** Prepared texts cost a connection memory; after this many, the widest text replaces new ones. */
const TEXTS_MAX = 64;

/**
 * The statements for all sets of flags. `widest`: the flags that a text may have unnecessarily once
 * there are too many texts.
 */
export function createStatements<Flag extends string>(params: {
  readonly prefix: string;
  readonly flags: readonly Flag[];
  readonly widest: readonly Flag[];
  readonly compose: (has: (flag: Flag) => boolean, $: Parameters) => string;
}): (has: (flag: Flag) => boolean) => CommitStatement {
  const { prefix, flags, widest, compose } = params;
  // Sums, because the bitwise operators see 32 flags and no more.
  const bits = new Map(flags.map((flag, index) => [flag, 2 ** index]));
  const widestSet = new Set(widest);
  const maskOf = (serves: (flag: Flag) => boolean): number => {
    let mask = 0;
    for (const [flag, bit] of bits) if (serves(flag)) mask += bit;
    return mask;
  };
  const texts = new Map<number, CommitStatement>();
  return (has) => {
    let serves = has;
    let mask = maskOf(serves);
    if (!texts.has(mask) && texts.size >= TEXTS_MAX) {
      serves = (flag) => has(flag) || widestSet.has(flag);
      mask = maskOf(serves);
    }
    let statement = texts.get(mask);
    if (statement === undefined) {
      const { $, columns } = numberParameters();
      const text = compose(serves, $);
      statement = { name: `${prefix}-${mask}`, text, columns };
      texts.set(mask, statement);
    }
    return statement;
  };
}

/** Parameters are numbered in the order in which the text first names them. */
function numberParameters(): {
  readonly $: Parameters;
  readonly columns: readonly CommitColumn[];
} {
  const columns: CommitColumn[] = [];
  const numbers = new Map<string, number>();
  const array = (section: SectionName, column: string): string => {
    const type = SECTIONS[section].typeOf(column);
    const key = `${section}.${column}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = columns.push({ section, column, type });
      numbers.set(key, number);
    }
    return `$${number}::${type}[]`;
  };
  const table = (
    section: SectionName,
    alias: string,
    names: readonly string[] = ['position', ...SECTIONS[section].names],
  ): string => {
    const arrays = names.map((name) => array(section, name));
    return `unnest(${arrays.join(', ')}) as ${alias} (${names.join(', ')})`;
  };
  const list = (section: SectionName, names: readonly string[]): string =>
    names.map((name) => `unnest(${array(section, name)}) as ${name}`).join(', ');
  return { $: { array, table, list }, columns };
}
