const SHOWN_MAX = 100;

/** An id or name as messages show it: in quotes, and cut to a readable length. */
export function quoteId(id: string): string {
  return JSON.stringify(id.slice(0, SHOWN_MAX).toWellFormed());
}

export function unknownNode(id: string): string {
  return `there is no node ${quoteId(id)}`;
}
