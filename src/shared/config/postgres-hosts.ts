/**
 * Splits a URL with several hosts, as libpq takes them, into URLs of one host each:
 * `postgres://svc@db-1,db-2:5433/svc?target_session_attrs=primary`. The driver knows one host only.
 */
export interface PostgresHosts {
  /** In the order of the URL; one for a URL with one host. */
  readonly urls: readonly string[];
  readonly target: SessionTarget;
}

/**
 * `primary`: a server that is no standby. `read-write`: sessions that may also write by default.
 * `any`: the first server that answers.
 */
export type SessionTarget = (typeof TARGETS)[number];

const TARGETS = ['primary', 'read-write', 'any'] as const;
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is;
/** `svc@/db?host=/var/run/postgresql` is valid for libpq, but no URL. */
const HOST_LEFT_OUT = /^([a-z]+:\/\/[^/?#]*@)(?=[/?#]|$)/i;

export function splitHosts(given: string): PostgresHosts {
  const url = given.replace(HOST_LEFT_OUT, '$1localhost');
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  const urls = hosts.includes(',')
    ? hosts.split(',').map((host) => `${before}${host}${after}`)
    : [url];
  return { urls, target: TARGETS.find((target) => target === readTarget(url)) ?? 'primary' };
}

/** Why the runtime cannot use this URL, or null. */
export function findPostgresUrlProblem(url: string): string | null {
  const { urls } = splitHosts(url);
  if (!urls.every((one) => URL.canParse(one))) {
    return 'not a valid URL; special characters of the password must be percent-encoded';
  }
  if (urls.length > 1 && urls.some((one) => new URL(one).hostname === '')) {
    return 'a host between two commas is missing';
  }
  const target = readTarget(url);
  if (target === null || TARGETS.some((one) => one === target)) return null;
  return `target_session_attrs must be one of ${TARGETS.join(', ')}: the runtime works on the primary`;
}

function readTarget(url: string): string | null {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return new URLSearchParams(query).get('target_session_attrs');
}
