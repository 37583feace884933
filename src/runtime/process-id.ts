import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Names this process in leases, among the workers and in the log. Host and pid tell a person where
 * to look; the random part sets apart what reuses both, as containers do at every restart.
 */
export function createProcessId(): string {
  return `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
}
