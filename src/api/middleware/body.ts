import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

import { badRequest, SvcError } from '../../shared/domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';
import type { ApiContext } from '../context.ts';
import { checkJsonBody, NESTING_MAX } from './json-bounds.ts';

/** Reads the JSON that the request carries, or throws 400, 413 or 415. */
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
 * koa-body reads and parses; around it stand the rules it doesn't know: a missing or foreign
 * content type is an error and not "no body", an empty body is not `{}`, and bytes that aren't
 * UTF-8 are refused rather than replaced. Compressed bodies are not taken, so that the bound on
 * what is sent is a bound on what is held.
 */
export function createReadJson(bounds: BodyBounds): ReadJson {
  const { bodyBytesMax, nestingMax = NESTING_MAX } = bounds;
  let parser: ReturnType<typeof loadParser> | null = null;

  return async (ctx) => {
    const declaredBytes = refuseUnreadable(ctx);
    if (declaredBytes !== null && declaredBytes > bodyBytesMax) throw tooLarge(bodyBytesMax);
    const parse = await (parser ??= loadParser(bodyBytesMax));
    const received = collect(ctx.req);
    try {
      await parse(ctx, async () => {});
    } catch (error) {
      received.stop();
      throw error instanceof SyntaxError && received.bytes().length === 0
        ? bodyMissing()
        : translate(error, bodyBytesMax);
    }
    const bytes = received.bytes();
    if (bytes.length === 0) throw bodyMissing();
    if (!isUtf8(bytes)) throw unparsable('the body is not UTF-8');
    const body = ctx.request.body as JsonValue;
    if (nestingMax !== null) checkJsonBody(body, { nestingMax });
    return body;
  };
}

/** With the first body: it brings readers of all kinds of forms. */
async function loadParser(bodyBytesMax: number) {
  const { koaBody } = await import('koa-body');
  return koaBody({
    json: true,
    jsonTypes: JSON_TYPES,
    // Text and numbers are JSON too: they are refused for what they are.
    jsonStrict: false,
    jsonLimit: bodyBytesMax,
    urlencoded: false,
    text: false,
    multipart: false,
    parsedMethods: METHODS_WITH_BODY,
  });
}

const JSON_TYPES = ['json', '+json'];
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'] as never;

export function carriesBody(ctx: ApiContext): boolean {
  return ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length') || 0) > 0;
}

/** Refuses by the headers alone if they suffice; returns the declared length, null when chunked. */
function refuseUnreadable(ctx: ApiContext): number | null {
  const chunked = ctx.get('Transfer-Encoding') !== '';
  const length = chunked ? null : Number(ctx.get('Content-Length') || 0);
  if (length === 0) throw bodyMissing();
  const encoding = ctx.get('Content-Encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    throw unsupported(`content encoding ${encoding}, send the body uncompressed`);
  }
  if (!ctx.is(JSON_TYPES)) {
    const type = ctx.get('Content-Type');
    throw unsupported(`${type || 'no content type'}, send Content-Type: application/json`);
  }
  const charset = ctx.request.charset.toLowerCase();
  if (charset !== '' && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported(`charset ${charset}, send UTF-8`);
  }
  return length;
}

/**
 * Keeps the bytes as they arrive, for the UTF-8 check: the parser only ever sees decoded text. The
 * parser adds its own listener in the same turn, before the stream begins to flow.
 */
function collect(request: IncomingMessage): { bytes: () => Buffer; stop: () => void } {
  const chunks: Buffer[] = [];
  const keep = (chunk: Buffer) => void chunks.push(chunk);
  request.on('data', keep);
  return {
    bytes: () =>
      chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
    stop: () => request.off('data', keep),
  };
}

function translate(error: unknown, bodyBytesMax: number): SvcError {
  const { status, type } = error as { readonly status?: unknown; readonly type?: unknown };
  if (status === 413) return tooLarge(bodyBytesMax);
  if (error instanceof SyntaxError) {
    return unparsable(`the body is not valid JSON: ${error.message}`, error);
  }
  // The connection broke in the middle, or before: nobody will read the answer, and it is nobody's
  // bug here.
  if (LEFT.has(type) || status === 400 || isConnectionError(error)) {
    return new SvcError('bad_request', 'the body was not received whole', { cause: error });
  }
  return new SvcError('internal', 'reading the body', { cause: error });
}

const LEFT: ReadonlySet<unknown> = new Set(['request.aborted', 'stream.not.readable']);

function isConnectionError(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === 'string' && (code.startsWith('ECONN') || code.startsWith('HPE_'));
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
