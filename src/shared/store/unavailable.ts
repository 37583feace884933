/** The database cannot be reached, is read-only or full, or a commit's outcome is not known. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** True: the statement may have been carried out. */
  readonly ambiguous: boolean;
  /** True: a disk of the database has no room. Reads still work, and nothing was written. */
  readonly isDiskFull: boolean;

  constructor(
    message: string,
    options: {
      readonly ambiguous: boolean;
      readonly isDiskFull?: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.ambiguous = options.ambiguous;
    this.isDiskFull = options.isDiskFull ?? false;
  }
}

/** The request may have been carried out. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.ambiguous;
}
