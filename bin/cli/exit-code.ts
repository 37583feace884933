/** The exit codes of commands, for scripts. */
export const EXIT = {
  ok: 0,
  /** The command was understood and could not be carried out. */
  failure: 1,
  /** The command line, the configuration or the input file is wrong. */
  usage: 2,
  /** The runtime did not accept the token. */
  unauthenticated: 3,
  notFound: 4,
  /** The execution that was waited for failed or was cancelled. */
  executionFailed: 8,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected end of a command: one line on stderr that says what to do next, and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failure;
  }
}

export function usageError(message: string, cause?: unknown): CliError {
  return new CliError(message, { exitCode: EXIT.usage, cause });
}
