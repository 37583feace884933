import { createOutageLines } from '../shared/telemetry/outage-lines.ts';
import type { ApiDeps, ApiLog } from './deps.ts';

/** A log whose warnings about a database that is away or full do not repeat for each request. */
export function logOutages({ log, now }: Pick<ApiDeps, 'log' | 'now'>): ApiLog {
  const outages = createOutageLines(now);
  return {
    info: (fields, message) => log.info(fields, message),
    warn(fields, message) {
      const more = outages.next(message, 'err' in fields ? fields.err : null);
      if (more !== null) log.warn({ ...fields, ...more }, message);
    },
    error: (fields, message) => log.error(fields, message),
  };
}
