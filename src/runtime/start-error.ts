/** A runtime cannot start for a reason that its operator can remove, which the message names. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
