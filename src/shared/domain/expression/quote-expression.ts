const QUOTED_CHARACTERS_MAX = 200;

/** The expression as messages quote it: on one line and cut to a readable length. */
export function quoteExpression(source: string): string {
  const line = source.replaceAll(/\s+/g, ' ').trim();
  const shown =
    line.length <= QUOTED_CHARACTERS_MAX
      ? line
      : `${line.slice(0, QUOTED_CHARACTERS_MAX).toWellFormed()}…`;
  return `expression \`${shown}\``;
}
