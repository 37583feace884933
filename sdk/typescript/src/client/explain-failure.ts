import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  LimitError,
  NotFoundError,
  PermissionError,
  SvcError,
  UnavailableError,
  ValidationError,
  type ErrorFacts,
} from './errors.ts';

/** Where a request went, for messages. */
export interface Target {
  /** Base URL of the service. */
  readonly url: string;
  readonly hasToken: boolean;
  readonly tenantId: string | null;
}

/** The error for an answer of an error status, with its body as text. */
export function explainAnswer(target: Target, response: Response, text: string): SvcError {
  const { status, headers } = response;
  const body = parseJson(text);
  const said = messageIn(body);
  const isProxys = status >= 500 || status === 429 || status === 408;
  // Other services have a field `error` too, often with the status's own name.
  if (!isProxys && (said === null || (status === 404 && !said.startsWith('not found: ')))) {
    return foreignService(target, `HTTP status ${status} without an error of svc`);
  }
  const facts = { status, body: body ?? text, requestId: headers.get('x-request-id') };
  return errorOf({ target, said: said ?? `HTTP status ${status}`, facts, headers });
}

/** Something answers at the address, and it is not svc. */
export function foreignService({ url }: Target, found: string): ConnectionError {
  return new ConnectionError(
    `what answers at ${url} is not svc: it gave ${found}; check the address and the port`,
    { code: 'foreign_service', neverSent: false },
  );
}

/** The error for a request that got no answer. */
export function explainNoAnswer({ url }: Target, cause: unknown): ConnectionError {
  const inner = innermost(cause);
  const code = inner !== null && 'code' in inner ? String(inner.code) : null;
  const why = inner?.message.trim() || code || 'the connection failed';
  const tls = explainTls(why, code);
  const neverSent = tls !== null || (code !== null && NEVER_SENT.has(code));
  const next = neverSent
    ? 'check the address and the port, and that svc is running: start it with "svc dev"'
    : 'whether the request took effect is not known';
  return new ConnectionError(`no answer from ${url}: ${tls ?? `${why}; ${next}`}`, {
    code: 'connection',
    neverSent,
    cause,
  });
}

/** Both sides never agreed on TLS, so no request was sent; null: the failure is another one. */
function explainTls(why: string, code: string | null): string | null {
  if (/wrong version number/i.test(why)) {
    return 'no TLS is spoken there; check the port, or use http:// in the url of the client or in SVC_URL if svc has no TLS';
  }
  if (code === null) return null;
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired (${code}); renew it`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `its certificate is for another host name (${code}); use a name of the certificate`;
  }
  if (!UNTRUSTED.has(code)) return null;
  return `its certificate is not trusted (${code}); name the file of the certificate, or of its authority, in NODE_EXTRA_CA_CERTS`;
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Codes of Node that tell that nobody has got the request. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Undefined: not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error inside an answer: the last message of an event stream, or a verdict of a batch. */
export function explainRefusal(target: Target, refusal: Refusal) {
  const { error, status, retry_after_seconds: seconds } = refusal;
  const facts = { status, body: refusal };
  const headers = new Headers(seconds === undefined ? {} : { 'retry-after': String(seconds) });
  return errorOf({ target, said: error, facts, headers });
}

interface Refusal {
  readonly error: string;
  readonly status: number;
  readonly retry_after_seconds?: number;
}

function errorOf(params: {
  readonly target: Target;
  readonly said: string;
  readonly facts: Omit<ErrorFacts, 'code'> & { readonly status: number };
  readonly headers: Headers;
}): SvcError {
  const { target, said, headers } = params;
  const { status } = params.facts;
  const facts = { ...params.facts, code: codeIn(params.facts.body) ?? codeOf(status) };
  const retryAfterMs = readRetryAfter(headers);
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return new ValidationError(said, facts);
    case 401:
      return new AuthenticationError(`${said}: ${adviseOnToken(target)}`, facts);
    case 403:
      return new PermissionError(`${said} (${target.url})`, facts);
    case 404: {
      const where = target.tenantId === null ? '' : ` (in tenant ${target.tenantId})`;
      return new NotFoundError(said + where, facts);
    }
    case 409:
      return new ConflictError(said, facts);
    case 402:
    case 429:
      return new LimitError(said, { ...facts, retryAfterMs });
    case 408:
    case 502:
    case 503:
    case 504:
      return new UnavailableError(`${said} (${target.url})`, { ...facts, retryAfterMs });
    default:
      return new SvcError(said, facts);
  }
}

function adviseOnToken({ url, hasToken }: Target): string {
  return hasToken
    ? `${url} does not accept this token; it may be revoked, expired, or of another runtime. Make one with "svc token create --name NAME --role ROLE"`
    : 'no token was sent; pass createClient({ token }) or set SVC_TOKEN. Make one with "svc token create --name NAME --role ROLE"';
}

function codeOf(status: number): string {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 402:
    case 429:
      return 'limit_exceeded';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 409:
      return 'conflict';
    default:
      if (status < 500) return 'bad_request';
      return status === 500 ? 'internal' : 'unavailable';
  }
}

/** Some errors of the service have a code of their own, such as `embedding_key_missing`. */
function codeIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('code' in body)) return null;
  return typeof body.code === 'string' ? body.code : null;
}

function messageIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const { error, reason } = body as { readonly error?: unknown; readonly reason?: unknown };
  const message = error ?? reason;
  return typeof message === 'string' ? message : null;
}

/** `Retry-After` in seconds, or as a date, which is compared with the answer's own `Date`. */
function readRetryAfter(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const ms = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** fetch hides the reason in `cause`, and several addresses tried in an AggregateError. */
function innermost(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  if (error instanceof TypeError && error.cause instanceof Error) return innermost(error.cause);
  return error;
}
