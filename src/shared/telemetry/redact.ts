/** Replaces a secret in a log line. */
export const MASK = '***';
/** Replaces a payload. */
export const OMITTED = '[omitted]';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a log call without secrets and, unless kept, without payloads. */
export function redactFields(
  fields: Fields,
  options: { readonly keepPayloads: boolean },
): Record<string, unknown> {
  return redactMembers({ fields, keepPayloads: options.keepPayloads, depth: 0 });
}

/**
 * Credentials inside any text: the user information of URLs, bearer tokens, and secrets in query
 * strings. It runs over whole finished lines, so messages and stacks are covered too.
 */
export function redactText(text: string): string {
  return text
    .replace(URL_CREDENTIALS, `$1${MASK}@`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(QUERY_SECRET, `$1=${MASK}`);
}

/**
 * The fields of an error in a log line. Not every enumerable property: those of database errors
 * (`detail`, `where`) quote the row that failed.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : OMITTED;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= DEPTH_MAX
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** Secrets by their commonest names, for the bindings of child loggers, which no hook sees. */
export const SECRET_BINDINGS = [
  'authorization',
  'apiKey',
  'api_key',
  'password',
  'secret',
  'token',
];

const SECRET_NAME =
  /^(authorization|proxy_?authorization|(set_?)?cookie|.*pass(word|wd|phrase)|.*secret|(.*_)?(token|tokens|api_?keys?|private_?keys?|encryption_?key|credentials?))$/;
const PAYLOAD_NAMES = new Set([
  'body',
  'current_state',
  'initial_input',
  'input',
  'ir',
  'output',
  'patch',
  'payload',
  'snapshot',
  'state',
  'state_patch',
]);
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'\\]{1,1024}@/gi;
const BEARER = /\b(bearer)\s+[\w.~+/-]{1,4096}=*/gi;
const QUERY_SECRET =
  /([?&](?:access_token|api_?key|key|password|secret|sig|signature|token))=[^&\s"'\\#]+/gi;
const DEPTH_MAX = 4;

function redactMembers(given: {
  readonly fields: Fields;
  readonly keepPayloads: boolean;
  readonly depth: number;
}): Record<string, unknown> {
  const redacted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given.fields)) {
    const name = toSnakeCase(key);
    if (SECRET_NAME.test(name)) redacted[key] = MASK;
    else if (PAYLOAD_NAMES.has(name)) redacted[key] = given.keepPayloads ? value : OMITTED;
    else redacted[key] = redactValue({ ...given, value });
  }
  return redacted;
}

function redactValue(given: {
  readonly value: unknown;
  readonly keepPayloads: boolean;
  readonly depth: number;
}): unknown {
  const { value, keepPayloads, depth } = given;
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  // Deeper than a log line is meant to be read: payloads hide there.
  if (depth >= DEPTH_MAX) return OMITTED;
  if (Array.isArray(value)) {
    return value.map((item: unknown) =>
      redactValue({ value: item, keepPayloads, depth: depth + 1 }),
    );
  }
  if (!isPlain(value)) return value;
  return redactMembers({ fields: value, keepPayloads, depth: depth + 1 });
}

function isPlain(value: object): value is Fields {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function toSnakeCase(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
