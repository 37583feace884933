import { isJsonObject, type JsonValue } from '../../json.ts';
import { parseDuration } from '../parse/parse-duration.ts';
import { reportUnknown } from '../problem.ts';

/** A bucket of `burst` tokens, to which `limit` tokens come in each `perMs`. */
export interface Pace {
  readonly limit: number;
  readonly perMs: number;
  readonly burst: number;
}

export const RATE_LIMIT_MAX = 1_000_000;
const PER_MS_MIN = 1_000;
const PER_MS_MAX = 86_400_000;
const KNOWN = new Set(['key', 'limit', 'per', 'burst']);

/** From one token to the next, rounded up: so never more come than the rate says. */
export function tokenIntervalUs({ perMs, limit }: Pace): number {
  return Math.ceil((perMs * 1_000) / limit);
}

/** All of a rate but its key. Null: reported, by a pointer within the rate. */
export function parsePace(
  value: JsonValue,
  problem: (pointer: string, message: string) => void,
): Pace | null {
  if (!isJsonObject(value)) {
    problem('', 'must be an object with limit and per');
    return null;
  }
  reportUnknown(value, KNOWN, problem);
  const limit = readCount(value['limit'] ?? null);
  if (limit === null) problem('/limit', COUNT_FORM);
  const given = value['burst'] ?? null;
  const burst = given === null ? limit : readCount(given);
  if (given !== null && burst === null) problem('/burst', COUNT_FORM);
  const perMs = readPer(value['per'] ?? null);
  if (perMs === null) problem('/per', 'must be a duration from "1s" to "1d"');
  return limit === null || burst === null || perMs === null ? null : { limit, perMs, burst };
}

const COUNT_FORM = `must be a whole number from 1 to ${RATE_LIMIT_MAX}`;

function readCount(value: JsonValue): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value);
  return isCount && value >= 1 && value <= RATE_LIMIT_MAX ? value : null;
}

function readPer(value: JsonValue): number | null {
  const ms = parseDuration(value);
  return ms !== null && ms >= PER_MS_MIN && ms <= PER_MS_MAX ? ms : null;
}
