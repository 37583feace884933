/**
 * The reason why a call to a user's address was refused or failed. The message follows the address
 * as the user wrote it, and reveals nothing about the network behind it: neither the addresses of a
 * name, nor how far a connection came. For a private address it names the setting that would allow
 * it.
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
  /** The setting that would allow a private address, as an addition to a message; else empty. */
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
