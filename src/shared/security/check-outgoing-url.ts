import { badRequest } from '../domain/errors.ts';
import { HttpError } from '../domain/http-error.ts';
import { judgeAddress } from './address-rules.ts';
import { isPrivateName, literalAddress, readOutgoingUrl } from './outgoing-url.ts';

/**
 * Refuses an address that will never be called with a 400, so that the caller learns it at once.
 * Each call checks the addresses that its name resolves to.
 */
export function checkOutgoingUrl(
  text: string,
  options: {
    readonly allowPrivate: boolean;
    /** The configuration key of that, for the refusal of a private address. */
    readonly setting?: string;
  },
): void {
  const url = readUrl(text);
  const literal = literalAddress(url);
  const judgement =
    literal === null ? (isPrivateName(url) ? 'private' : 'public') : judgeAddress(literal);
  if (judgement === 'public' || (judgement === 'private' && options.allowPrivate)) return;
  const setting = judgement === 'private' ? options.setting : undefined;
  throw badRequest(`url: ${new HttpError('refused_address', url.host, { setting }).message}`);
}

function readUrl(text: string): URL {
  try {
    return readOutgoingUrl(text);
  } catch (error) {
    if (error instanceof HttpError) throw badRequest(`url: ${error.message}`);
    throw error;
  }
}
