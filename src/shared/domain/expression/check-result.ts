import type { JsonValue } from '../json.ts';
import { isList } from './values.ts';

const DEPTH_MAX = 64;
const CHARACTERS_MAX = 4 * 1024 * 1024;

/**
 * Says why a value that an expression or a mapping put together would not fit where values of
 * state fit: nested deeper than 64, or longer than about 4 Mi characters as JSON. A small
 * expression can refer to one large value many times, so the value is measured as it would be
 * written, not as it lies in memory.
 */
export function findResultProblem(
  value: JsonValue,
  charactersMax: number = CHARACTERS_MAX,
): string | null {
  const room = { charactersLeft: charactersMax };
  const fits = measure(value, DEPTH_MAX, room);
  if (fits) return null;
  return room.charactersLeft < 0
    ? `a result of more than ${charactersMax} characters`
    : `a result nested deeper than ${DEPTH_MAX}`;
}

function measure(value: JsonValue, depthLeft: number, room: { charactersLeft: number }): boolean {
  room.charactersLeft -= typeof value === 'string' ? value.length + 2 : 2;
  if (room.charactersLeft < 0) return false;
  if (value === null || typeof value !== 'object') return true;
  if (depthLeft === 0) return false;
  if (isList(value)) return value.every((item) => measure(item, depthLeft - 1, room));
  return Object.keys(value).every((key) => {
    room.charactersLeft -= key.length;
    return measure(value[key] ?? null, depthLeft - 1, room);
  });
}
