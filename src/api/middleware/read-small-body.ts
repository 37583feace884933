import { SvcError } from '../../shared/domain/errors.ts';
import type { JsonValue } from '../../shared/domain/json.ts';
import type { ApiContext } from '../context.ts';
import { bodyMissing, tooLarge, unparsable } from './body-errors.ts';
import { receiveBody } from './receive-body.ts';

export interface ParsedBody {
  readonly body: JsonValue;
  /** As they were received, for the check of their encoding. */
  readonly bytes: Buffer;
}

/** Reads a JSON text whose head declares its length, by the same rules as koa-body. */
export async function readSmallBody(ctx: ApiContext, bytesMax: number): Promise<ParsedBody> {
  const received = await receiveBody(ctx.req, bytesMax);
  if (received.got === 'too much') throw tooLarge(bytesMax);
  if (received.got === 'a part') {
    const { cause } = received;
    throw new SvcError('bad_request', 'the body was not received whole', { cause });
  }
  const { bytes } = received;
  if (bytes.length === 0) throw bodyMissing();
  return { body: parse(bytes), bytes };
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
