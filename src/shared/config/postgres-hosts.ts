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
/** The driver checks certificates under these names too, but warns that its next version will not. */
const LAX_MODE = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/gi;

export function splitHosts(given: string): PostgresHosts {
  const url = verifyFully(given.replace(HOST_LEFT_OUT, '$1localhost'));
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  const urls = hosts.includes(',')
    ? hosts.split(',').map((host) => `${before}${host}${after}`)
    : [url];
  return { urls, target: TARGETS.find((target) => target === readTarget(url)) ?? 'primary' };
}

function verifyFully(url: string): string {
  return parametersOf(url).get('uselibpqcompat') === 'true'
    ? url
    : url.replace(LAX_MODE, '$1verify-full');
}

/** Why the runtime cannot use this URL of a primary, or null. */
export function findPostgresUrlProblem(url: string): string | null {
  return (
    findHostsProblem(url) ?? findTargetProblem(url, TARGETS, 'the runtime works on the primary')
  );
}

/** Why the runtime cannot read from a replica at this URL, or null. */
export function findReplicaUrlProblem(url: string): string | null {
  if (splitHosts(url).urls.length > 1) return 'it leads to one replica, so name one host';
  return findHostsProblem(url) ?? findTargetProblem(url, REPLICA_TARGETS, 'it leads to a replica');
}

const REPLICA_TARGETS = ['any', 'standby', 'prefer-standby', 'read-only'];

function findTargetProblem(url: string, targets: readonly string[], why: string): string | null {
  const target = readTarget(url);
  if (target === null || targets.includes(target)) return null;
  return `target_session_attrs must be one of ${targets.join(', ')}: ${why}`;
}

function findHostsProblem(url: string): string | null {
  const { urls } = splitHosts(url);
  if (!urls.every((one) => URL.canParse(one))) {
    return 'not a valid URL; special characters of the password must be percent-encoded';
  }
  if (urls.length > 1 && urls.some((one) => new URL(one).hostname === '')) {
    return 'a host between two commas is missing';
  }
  if (parametersOf(url).get('host')?.includes(',') === true) {
    return 'several hosts go before the name of the database, as in postgres://db-1,db-2/svc';
  }
  return null;
}

/** The parameters of a URL that change nothing, most of them of libpq. */
export function findIdleParameters(url: string): readonly string[] {
  return [...new Set(parametersOf(url).keys())].filter((name) => !TAKEN.has(name));
}

const TAKEN: ReadonlySet<string> = new Set([
  'application_name',
  'client_encoding',
  'fallback_application_name',
  'host',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'options',
  'password',
  'port',
  'query_timeout',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'target_session_attrs',
  'uselibpqcompat',
  'user',
]);

function readTarget(url: string): string | null {
  return parametersOf(url).get('target_session_attrs');
}

function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
}
