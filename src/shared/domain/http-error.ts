/**
 * Why a call to an address that a user gave was refused or came to nothing. The message goes on
 * from the address as the user wrote it and tells nothing about the network behind it: neither what
 * a name resolves to, nor how far a connection came. Of a private address it names the setting that
 * would let it be reached.
 */
const REASONS = {
  bad_url: 'is not an http or https URL without credentials',
  refused_address: 'is at an address that may not be reached from here',
  unreachable: 'cannot be reached',
  timed_out: 'did not answer in time',
  too_large: 'answers with more than is taken',
  encoded: 'answers with a compressed body, which is not taken',
  too_many_redirects: 'redirects too often',
  refused_redirect: 'redirects to another origin, which is not followed with a secret',
  aborted: 'was not waited for',
} as const;

export type HttpErrorCode = keyof typeof REASONS;

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;

  /** `what` names the address in the message. */
  /** What would let a private address be reached, to be added to other words; else empty. */
  readonly advice: string;

  constructor(
    code: HttpErrorCode,
    what: string,
    options: { readonly cause?: unknown; readonly setting?: string | undefined } = {},
  ) {
    const { setting, ...rest } = options;
    const advice = setting === undefined ? '' : `; ${setting} = true opens private addresses`;
    super(`${what} ${REASONS[code]}${advice}`, rest);
    this.code = code;
    this.advice = advice;
  }
}
