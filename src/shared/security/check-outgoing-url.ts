import { badRequest } from '../domain/errors.ts';
import { HttpError } from '../domain/http-error.ts';
import { judgeAddress } from './address-rules.ts';
import { isPrivateName, literalAddress, readOutgoingUrl } from './outgoing-url.ts';

/**
 * Refuses with a 400 an address that will never be called, so that who gives it learns it at once.
 * What its name resolves to is judged at each call.
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
