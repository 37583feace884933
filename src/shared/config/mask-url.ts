/**
 * Puts `***` in place of passwords in a URL, also in one that does not parse: then everything
 * from the first colon after the scheme to the last `@` is taken for one.
 */
export function maskUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#@]*):.*@/is, '$1:***@')
    .replace(/([?&](?:ssl)?password=)[^&#]*/gi, '$1***');
}
