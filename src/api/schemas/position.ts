import { z } from 'zod';

import { instantOf } from '../../shared/domain/instant.ts';

/**
 * A cursor: where a page ended, as the columns that order the list. Opaque to callers, so that its
 * form can change.
 */
export function encodePosition(columns: readonly (string | number)[]): string {
  return encodeCursor(JSON.stringify(columns));
}

/** Cursors of two columns, the first of them a time, are shorter without JSON. */
export function encodeTimedCursor(time: string, id: string): string {
  return encodeCursor(`${time} ${id}`);
}

function encodeCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** All that a schema can say of a cursor. */
export const CURSOR_FORM = {
  pattern: '^[A-Za-z0-9_-]+$',
  description: '`next_cursor` of an earlier answer.',
};

/** The columns of a cursor, of which the first is a time where `isTimed`. */
export function positionText(params: { readonly columns: number; readonly isTimed: boolean }) {
  const form = z.array(z.string().regex(/^[^\0]*$/)).length(params.columns);
  return cursorText((text): readonly string[] | null => {
    const parsed = form.safeParse(readJson(text));
    if (!parsed.success) return null;
    return !params.isTimed || isTimestamp(parsed.data[0] ?? '') ? parsed.data : null;
  });
}

/** The columns of a cursor. `read`: null when they are none. */
export function columnsText<Cursor>(read: (columns: readonly unknown[]) => Cursor | null) {
  return cursorText((text) => {
    const columns = z.array(z.unknown()).safeParse(readJson(text));
    return columns.success ? read(columns.data) : null;
  });
}

/** The two columns of a cursor that `encodeTimedCursor` wrote. `read`: null when they are none. */
export function timedCursorText<Cursor>(read: (time: string, id: string) => Cursor | null) {
  return cursorText((text) => {
    const [time = '', id = ''] = text.split(' ');
    return read(time, id);
  });
}

/** `decode`: null for what no answer has contained. */
function cursorText<Cursor>(decode: (text: string) => Cursor | null) {
  return z
    .string()
    .transform((text, context) => {
      const cursor = decode(Buffer.from(text, 'base64url').toString());
      if (cursor !== null) return cursor;
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
  return instantOf(Date.parse(text)) === text;
}
