/** A text as one argument of a command that somebody pastes into a shell. */
export function quoteArgument(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
