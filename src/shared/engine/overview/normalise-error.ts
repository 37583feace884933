const CAUSE_MAX = 300;

/**
 * The cause in a message: what differs between two failures of one cause is replaced. Ids and long
 * hexadecimal numbers come first, because they contain numbers.
 */
export function normaliseError(error: string): string {
  const [line = ''] = error.trim().split('\n', 1);
  const cause = line
    .slice(0, 2 * CAUSE_MAX)
    .replaceAll(/\b(?:exec_)?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi, '…')
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '…')
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '…')
    .replaceAll(/\d+(?:\.\d+)?/g, '…');
  return cause.slice(0, CAUSE_MAX);
}
