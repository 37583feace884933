/** A database can run out of these. */
export type Shortage = 'disk' | 'memory' | 'connections';

/** The database cannot be reached, is read-only or full, or a commit's outcome is not known. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** True: the statement may have been carried out. */
  readonly ambiguous: boolean;
  /**
   * The database has none of it left; null: it has not said so. On a full `disk` reads still work,
   * and nothing was written.
   */
  readonly shortOf: Shortage | null;

  constructor(
    message: string,
    options: {
      readonly ambiguous: boolean;
      readonly shortOf?: Shortage | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.ambiguous = options.ambiguous;
    this.shortOf = options.shortOf ?? null;
  }
}

/** The request may have been carried out. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.ambiguous;
}
