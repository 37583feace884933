/** The configuration cannot be used. Its message names each problem on a line of its own. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options: { readonly cause?: unknown } = {}) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}
