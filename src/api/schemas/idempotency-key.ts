import { badRequest } from '../../shared/domain/errors.ts';
import { ID_BYTES_MAX } from './text.ts';

/** The value of the Idempotency-Key header; null: there is none. Throws 400 for other texts. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.length <= ID_BYTES_MAX && /^[\x20-\x7e]+$/.test(header)) return header;
  throw badRequest(`the Idempotency-Key header must be 1 to ${ID_BYTES_MAX} ASCII characters`);
}
