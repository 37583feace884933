import { isUtf8 } from 'node:buffer';

import { badRequest } from '../../shared/domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';
import type { ApiContext } from '../context.ts';
import { bodyMissing, tooLarge, unparsable, unsupported } from './body-errors.ts';
import { checkJsonBody, NESTING_MAX } from './json-bounds.ts';
import { createReadWithKoaBody, JSON_TYPES } from './read-with-koa-body.ts';
import { readSmallBody } from './read-small-body.ts';

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
 * The small bodies that workers and clients send all day are read at once, the others by koa-body.
 *
 * A missing or foreign content type is an error and not "no body", an empty body is not `{}`, and
 * bytes that aren't UTF-8 are refused rather than replaced. Compressed bodies are not taken, so that
 * the bound on what is sent is a bound on what is held.
 */
export function createReadJson(bounds: BodyBounds): ReadJson {
  const { bodyBytesMax, nestingMax = NESTING_MAX } = bounds;
  const readWithKoaBody = createReadWithKoaBody(bodyBytesMax);
  return async (ctx) => {
    const declaredBytes = refuseUnreadable(ctx);
    if (declaredBytes !== null && declaredBytes > bodyBytesMax) throw tooLarge(bodyBytesMax);
    const read = isUsual(ctx, declaredBytes) ? readSmallBody : readWithKoaBody;
    const { body, bytes } = await read(ctx, bodyBytesMax);
    if (!isUtf8(bytes)) throw unparsable('the body is not UTF-8');
    ctx.state.body = body;
    if (nestingMax !== null) checkJsonBody(body, { nestingMax });
    return body;
  };
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

/** Larger ones come in several pieces. */
const SMALL_BYTES_MAX = 16 * 1024;

function isUsual({ req: { headers } }: ApiContext, declaredBytes: number | null): boolean {
  if (declaredBytes === null || declaredBytes > SMALL_BYTES_MAX) return false;
  return USUAL_TYPES.has(headers['content-type'] ?? '');
}

const USUAL_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

function refuseForeignType(ctx: ApiContext, type: string): void {
  if (!ctx.is(JSON_TYPES)) {
    throw unsupported(`${type || 'no content type'}, send Content-Type: application/json`);
  }
  const charset = ctx.request.charset.toLowerCase();
  if (charset !== '' && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported(`charset ${charset}, send UTF-8`);
  }
}
