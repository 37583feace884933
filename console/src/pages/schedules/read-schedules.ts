import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import { call, type ReplyOf } from '../../api/client.ts';

export type Schedule = ReplyOf<'read-schedule'>;

const PAGE = 100;
const READ_AGAIN_MS = 15_000;

/** The schedules of the tenant, newest first. */
export function useSchedules(): CursorList<Schedule> {
  return useByCursor({
    key: ['schedules', 'list'],
    everyMs: READ_AGAIN_MS,
    read: async (cursor, signal) => {
      const offset = Number(cursor ?? 0);
      const { schedules } = await call('list-schedules', {
        query: { limit: PAGE, offset },
        signal,
      });
      const isFull = schedules.length === PAGE;
      return { rows: schedules, nextCursor: isFull ? String(offset + PAGE) : null };
    },
  });
}

/** `every 15m`, or the cron expression with its time zone. */
export function describeTiming(
  schedule: Pick<Schedule, 'cron_expression' | 'every' | 'timezone'>,
): string {
  const { cron_expression: cron, every, timezone } = schedule;
  return cron === null ? `every ${every}` : `${cron} (${timezone})`;
}
