import { Role, type Message, type Part } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';

import { ID_BYTES_MAX } from '../schemas/text.ts';

/*
 * Checks that the SDK omits when it reads parameters: it fills in missing values and converts
 * values of another type.
 */

/** Throws if a message of any version is invalid. */
export function checkMessage(
  message: Message | undefined,
  inputModes: readonly string[],
): asserts message is Message {
  if (message === undefined) throw new RequestMalformedError('message is required');
  const { messageId, role, parts } = message;
  if (messageId === '' || Buffer.byteLength(messageId) > ID_BYTES_MAX) {
    throw new RequestMalformedError(`message.messageId must be 1 to ${ID_BYTES_MAX} bytes`);
  }
  if (role !== Role.ROLE_USER && role !== Role.ROLE_AGENT) {
    throw new RequestMalformedError('message.role must be ROLE_USER, in 0.3 user');
  }
  if (parts.length === 0) {
    throw new RequestMalformedError('message.parts must be a list with at least one part');
  }
  for (const [index, part] of parts.entries()) checkPart(part, { index, inputModes });
}

export function checkHistoryLength(length: number | undefined): void {
  if (length === undefined || (Number.isSafeInteger(length) && length >= 0)) return;
  throw new RequestMalformedError('historyLength must be a whole number, 0 or more');
}

function checkPart(
  { content, mediaType }: Part,
  { index, inputModes }: { readonly index: number; readonly inputModes: readonly string[] },
): void {
  if (content === undefined) {
    throw new RequestMalformedError(`message.parts[${index}] must hold text, data, raw or url`);
  }
  const isFile = content.$case === 'raw' || content.$case === 'url';
  if (!isFile || mediaType === '' || inputModes.some((mode) => isOfMode(mediaType, mode))) return;
  throw new ContentTypeNotSupportedError(
    `message.parts[${index}] is ${mediaType}; the agent takes ${inputModes.join(', ')}`,
  );
}

/** Whether a media type, parameters aside, is a mode such as `text/plain` or `image/*`. */
function isOfMode(mediaType: string, mode: string): boolean {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const wanted = mode.toLowerCase();
  if (wanted === '*/*') return true;
  if (wanted.endsWith('/*')) return type.trim().startsWith(wanted.slice(0, -1));
  return type.trim() === wanted;
}
