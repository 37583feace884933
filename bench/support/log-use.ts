import pg from 'pg';

/** The bytes that one kind of record of one table or index has added to the log. */
export interface LogUse {
  /** A table or an index, or for records without one their resource manager. */
  readonly name: string;
  readonly record: string;
  readonly records: number;
  readonly bytes: number;
  /** Whole pages within these bytes, which the log holds after a checkpoint. */
  readonly pageBytes: number;
}

export const LOG_HEAD = ['records', 'log bytes', 'whole pages', 'of', 'record'] as const;

/** Kinds of records with fewer bytes for each unit are shown together. */
const BYTES_MIN = 2;

/** The records between two positions of the log, for each unit, those with the most bytes first. */
export function logRows(given: {
  readonly use: readonly LogUse[];
  readonly bytes: number;
  readonly units: number;
}): readonly (readonly string[])[] {
  const { use, bytes, units } = given;
  const isShown = (one: LogUse): boolean => one.bytes / units >= BYTES_MIN;
  const rest = sumUp(
    'the rest',
    use.filter((one) => !isShown(one)),
  );
  const all = sumUp('all records', use);
  const framing = { ...all, name: 'padding and page headers', bytes: bytes - all.bytes };
  return [
    ...use.filter(isShown).toSorted((left, right) => right.bytes - left.bytes),
    rest,
    { ...framing, records: 0, pageBytes: 0 },
    { ...all, name: 'the log', bytes },
  ].map(({ name, record, records, bytes, pageBytes }) => [
    (records / units).toFixed(3),
    (bytes / units).toFixed(1),
    (pageBytes / units).toFixed(1),
    name,
    record,
  ]);
}

function sumUp(name: string, use: readonly LogUse[]): LogUse {
  return use.reduce(
    (sum, { records, bytes, pageBytes }) => ({
      ...sum,
      records: sum.records + records,
      bytes: sum.bytes + bytes,
      pageBytes: sum.pageBytes + pageBytes,
    }),
    { name, record: '', records: 0, bytes: 0, pageBytes: 0 },
  );
}

/** Reads the log between two positions, in bytes from its beginning. `url`: the database of the tables. */
export async function readLogUse(given: {
  readonly url: string;
  readonly from: number;
  readonly to: number;
}): Promise<readonly LogUse[]> {
  const client = new pg.Client({ connectionString: given.url });
  await client.connect();
  try {
    await client.query('create extension if not exists pg_walinspect');
    const { rows } = await client.query<Record<keyof LogUse, string>>(READ_LOG, [
      given.from,
      given.to,
    ]);
    return rows.map(({ name, record, ...figures }) => ({
      name,
      record,
      records: Number(figures.records),
      bytes: Number(figures.bytes),
      pageBytes: Number(figures.pageBytes),
    }));
  } finally {
    await client.end();
  }
}

/** A record that changes several pages counts for the relation of the first. */
const READ_LOG = `
  with block as (
    select b.start_lsn, c.relname as name
    from pg_get_wal_block_info('0/0'::pg_lsn + $1::numeric, '0/0'::pg_lsn + $2::numeric, false) b
    left join pg_class c
      on pg_relation_filenode(c.oid) = b.relfilenode
      and b.reldatabase = (select oid from pg_database where datname = current_database())
    where b.block_id = 0
  )
  select coalesce(b.name, r.resource_manager) as name, r.record_type as record,
    count(*) as records, sum(r.record_length) as bytes, sum(r.fpi_length) as "pageBytes"
  from pg_get_wal_records_info('0/0'::pg_lsn + $1::numeric, '0/0'::pg_lsn + $2::numeric) r
  left join block b on b.start_lsn = r.start_lsn
  group by 1, 2`;
