/** A text as a value of a query: a backslash takes the character after it as it is. */
export function quoteText(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
