import type { IncomingMessage } from 'node:http';

import { SvcError } from '../../shared/domain/errors.ts';
import type { JsonValue } from '../../shared/domain/json.ts';
import type { ApiContext } from '../context.ts';
import { bodyMissing, tooLarge, unparsable } from './body-errors.ts';
import type { ParsedBody } from './read-small-body.ts';

export const JSON_TYPES = ['json', '+json'];
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'] as never;

/** Reads a JSON text of any length and in any number of pieces; koa-body parses it. */
export function createReadWithKoaBody(
  bodyBytesMax: number,
): (ctx: ApiContext) => Promise<ParsedBody> {
  let parser: ReturnType<typeof loadParser> | null = null;
  return async (ctx) => {
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
    return { body: ctx.request.body as JsonValue, bytes };
  };
}

/** Loads the package with the first such body, because it brings readers of all kinds of forms. */
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
