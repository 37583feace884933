import { isUtf8 } from 'node:buffer';

import { badRequest, SvcError } from '../../shared/domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';
import type { ApiContext } from '../context.ts';
import { checkJsonBody, NESTING_MAX } from './json-bounds.ts';
import { receiveBody } from './receive-body.ts';

/**
 * Reads the JSON that the request carries, or throws 400, 413 or 415. The request's state has it, too, once
 * it is parsed, even if it is refused after that.
 */
export type ReadJson = (ctx: ApiContext) => Promise<JsonValue>;

/** The same of what must be an object. */
export type ReadBody = (ctx: ApiContext) => Promise<JsonObject>;

interface BodyBounds {
  readonly bodyBytesMax: number;
  /** Null: the caller checks the parts of the body with `checkJsonBody`. */
  readonly nestingMax?: number | null;
}

export function createReadBody(bounds: BodyBounds): ReadBody {
  const readJson = createReadJson(bounds);
  return async (ctx) => asObject(await readJson(ctx));
}

export function asObject(body: JsonValue): JsonObject {
  if (!isJsonObject(body)) throw badRequest('the body must be a JSON object');
  return body;
}

/**
 * A missing or foreign content type is an error and not "no body", an empty body is not `{}`, and
 * bytes that aren't UTF-8 are refused rather than replaced. Compressed bodies are not taken, so that
 * the bound on what is sent is a bound on what is held.
 */
export function createReadJson(bounds: BodyBounds): ReadJson {
  const { bodyBytesMax, nestingMax = NESTING_MAX } = bounds;
  return async (ctx) => {
    const declaredBytes = refuseUnreadable(ctx);
    if (declaredBytes !== null && declaredBytes > bodyBytesMax) throw tooLarge(bodyBytesMax);
    const received = await receiveBody(ctx.req, bodyBytesMax);
    if (received.got === 'too much') throw tooLarge(bodyBytesMax);
    if (received.got === 'a part') {
      const { cause } = received;
      throw new SvcError('bad_request', 'the body was not received whole', { cause });
    }
    const { bytes } = received;
    if (bytes.length === 0) throw bodyMissing();
    const body = parse(bytes);
    if (!isUtf8(bytes)) throw unparsable('the body is not UTF-8');
    ctx.state.body = body;
    if (nestingMax !== null) checkJsonBody(body, { nestingMax });
    return body;
  };
}

function parse(bytes: Buffer): JsonValue {
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0);
  try {
    const body = text === '' ? text : (JSON.parse(text) as JsonValue);
    if (NAMES_PROTOTYPE.test(text)) refusePrototypes(body);
    return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unparsable(`the body is not valid JSON: ${error.message}`, error);
  }
}

/** RFC 8259, section 8.1: a reader may pass over a byte order mark. */
function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** A key `__proto__`, each of its characters itself or an escape of it. */
const NAMES_PROTOTYPE =
  /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i;

/** Without recursion, as nothing has bounded the depth yet. */
function refusePrototypes(body: JsonValue): void {
  const left: JsonValue[] = [body];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) {
      throw new SyntaxError('Object contains forbidden prototype property');
    }
    for (const member of Object.values(value)) left.push(member);
  }
}

export function carriesBody({ req: { headers } }: ApiContext): boolean {
  return Boolean(headers['transfer-encoding']) || Number(headers['content-length'] ?? 0) > 0;
}

/** Refuses by the headers alone if they suffice; returns the declared length, null when chunked. */
function refuseUnreadable(ctx: ApiContext): number | null {
  const { headers } = ctx.req;
  const length = headers['transfer-encoding'] ? null : Number(headers['content-length'] ?? 0);
  if (length === 0) throw bodyMissing();
  const encoding = headers['content-encoding']?.toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw unsupported(`content encoding ${encoding}, send the body uncompressed`);
  }
  const type = headers['content-type'] ?? '';
  if (!USUAL_TYPES.has(type)) refuseForeignType(ctx, type);
  return length;
}

const USUAL_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);
const JSON_TYPES = ['json', '+json'];

function refuseForeignType(ctx: ApiContext, type: string): void {
  if (!ctx.is(JSON_TYPES)) {
    throw unsupported(`${type || 'no content type'}, send Content-Type: application/json`);
  }
  const charset = ctx.request.charset.toLowerCase();
  if (charset !== '' && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported(`charset ${charset}, send UTF-8`);
  }
}

function bodyMissing(): SvcError {
  return unparsable('a JSON body is required');
}

function unparsable(detail: string, cause = new SyntaxError(detail)): SvcError {
  return new SvcError('bad_request', detail, { cause });
}

/** Whether reading a body failed because it is no JSON text, rather than JSON that is not taken. */
export function isUnparsable(error: SvcError): boolean {
  return error.cause instanceof SyntaxError;
}

function tooLarge(bytesMax: number): SvcError {
  return new SvcError('too_large', `the body is larger than ${bytesMax} bytes`);
}

function unsupported(detail: string): SvcError {
  return new SvcError('unsupported_media_type', detail);
}
