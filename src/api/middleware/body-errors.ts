import { SvcError } from '../../shared/domain/errors.ts';

export function bodyMissing(): SvcError {
  return unparsable('a JSON body is required');
}

export function unparsable(detail: string, cause = new SyntaxError(detail)): SvcError {
  return new SvcError('bad_request', detail, { cause });
}

/** Whether reading a body failed because it is no JSON text, rather than JSON that is not taken. */
export function isUnparsable(error: SvcError): boolean {
  return error.cause instanceof SyntaxError;
}

export function tooLarge(bytesMax: number): SvcError {
  return new SvcError(
    'too_large',
    `the body is larger than ${bytesMax} bytes: upload large values as artifacts`,
  );
}

export function unsupported(detail: string): SvcError {
  return new SvcError('unsupported_media_type', detail);
}
