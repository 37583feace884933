import { UPLOAD_SILENCE_MS } from '../../artifacts.ts';
import { CHUNKS_AT_A_TIME } from '../../unused-artifacts.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

/** Deletes uploads that were given up; returns how many pieces that were. */
export async function pruneUploads(readers: PostgresPool): Promise<number> {
  await readers.run(GIVE_UP, [UPLOAD_SILENCE_MS]);
  let total = 0;
  for (;;) {
    const pruned = await pruneChunks(readers);
    total += pruned;
    if (pruned === 0) return total;
  }
}

/** Some of those that were given up, a bounded number of chunks; returns how many rows that were. */
export async function pruneChunks(readers: PostgresPool): Promise<number> {
  const [row] = await readers.run<{ readonly pruned: number }>(PRUNE, [CHUNKS_AT_A_TIME]);
  return row?.pruned ?? 0;
}

/** From here on nobody adds to it or finishes it. */
const GIVE_UP: Statement = {
  name: 'give-up-artifact-uploads',
  writes: true,
  text: `
    update artifact_uploads u
    set touched_at = '-infinity'
    where u.touched_at <= clock_timestamp() - $1::int8 * interval '1 millisecond'
      and u.touched_at > '-infinity'`,
};

const PRUNE: Statement = {
  name: 'prune-artifact-uploads',
  writes: true,
  text: `
    with given_up as materialized (
      select u.upload_id
      from artifact_uploads u
      where u.touched_at = '-infinity'
      limit $1
      for update skip locked
    ),
    page as materialized (
      select c.upload_id, c.position
      from artifact_chunks c
      where c.upload_id = any(array(select g.upload_id from given_up g))
      limit $1
    ),
    dropped as (
      delete from artifact_chunks c
      using page p
      where c.upload_id = any(array(select p.upload_id from page p))
        and c.upload_id = p.upload_id
        and c.position = p.position
      returning c.position
    ),
    gone as (
      delete from artifact_uploads u
      where u.upload_id = any(array(select g.upload_id from given_up g))
        and (select count(*) from page) < $1
      returning u.upload_id
    )
    select (select count(*) from dropped) + (select count(*) from gone) as pruned`,
};
