import { badRequest, SvcError } from '../../shared/domain/errors.ts';
import type { ApiContext } from '../context.ts';

/** A body of any type, read unchanged as it arrives. */
export interface RequestContent {
  readonly contentType: string;
  /** By Content-Length; null: sent in pieces of unknown length. */
  readonly bytes: number | null;
  /** Can be read once. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Throws 400 for a malformed content type and 415 for a compressed body. */
export function readContent(ctx: ApiContext): RequestContent {
  const contentType = ctx.get('Content-Type') || 'application/octet-stream';
  if (contentType.length > TYPE_CHARACTERS_MAX || !MEDIA_TYPE.test(contentType)) {
    throw badRequest('the Content-Type header is not a media type, such as image/png');
  }
  const encoding = ctx.get('Content-Encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    const detail = `content encoding ${encoding}, send the content uncompressed`;
    throw new SvcError('unsupported_media_type', detail);
  }
  const chunked = ctx.get('Transfer-Encoding') !== '';
  const bytes = chunked ? null : Number(ctx.get('Content-Length') || 0);
  return { contentType, bytes, content: receive(ctx) };
}

const TYPE_CHARACTERS_MAX = 255;
/** RFC 9110, section 8.3.1; parameters are kept as they come. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[\t\x20-\x7e]*)?$/;

async function* receive(ctx: ApiContext): AsyncGenerator<Uint8Array> {
  const { req } = ctx;
  try {
    // A request that is not read to its end must live on: it is still to be answered.
    for await (const part of req.iterator({ destroyOnReturn: false })) yield part as Buffer;
  } catch (error) {
    throw new SvcError('bad_request', 'the content was not received whole', { cause: error });
  } finally {
    // The rest is thrown away, so that the connection comes to the answer and to the next request.
    req.resume();
  }
}
