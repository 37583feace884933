import { z } from 'zod';

/**
 * A cursor: where a page ended, as the columns that order the list. Opaque to callers, so that its
 * form can change.
 */
export function encodePosition(columns: readonly string[]): string {
  return Buffer.from(JSON.stringify(columns)).toString('base64url');
}

/** All that a schema can say of a cursor. */
export const CURSOR_FORM = {
  pattern: '^[A-Za-z0-9_-]+$',
  description: '`next_cursor` of an earlier answer.',
};

/** The columns of a cursor, of which the first is a time where `isTimed`. */
export function positionText(params: { readonly columns: number; readonly isTimed: boolean }) {
  return z
    .string()
    .transform((text, context): readonly string[] => {
      const columns = readJson(Buffer.from(text, 'base64url').toString());
      const parsed = z
        .array(z.string().regex(/^[^\0]*$/))
        .length(params.columns)
        .safeParse(columns);
      const isInOrder = !params.isTimed || isTimestamp(parsed.data?.[0] ?? '');
      if (parsed.success && isInOrder) return parsed.data;
      context.addIssue({ code: 'custom', message: 'must be the next_cursor of an earlier answer' });
      return z.NEVER;
    })
    .meta(CURSOR_FORM);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A time as answers write it, in milliseconds. */
export function isTimestamp(text: string): boolean {
  const millis = Date.parse(text);
  return !Number.isNaN(millis) && new Date(millis).toISOString() === text;
}
