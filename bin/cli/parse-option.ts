import { InvalidArgumentError } from 'commander';

import type { RETENTION_DAYS_MAX as DaysMax } from '../../src/shared/domain/retention/retention-policy.ts';

/** Parsers of option values; what they throw is reported by commander as a usage error. */

export function parseCount(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Expected a whole number, 0 or more.');
}

/** How many of something stay. */
export function parseKept(text: string): number {
  const count = Number(text);
  if (/^\d{1,5}$/.test(text) && count >= 1) return count;
  throw new InvalidArgumentError('Expected a number from 1 to 99999.');
}

/** A part of a whole, from 0 to 1. */
export function parseShare(text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value <= 1) return value;
  throw new InvalidArgumentError('Expected a number from 0 to 1.');
}

/** `90s`, `15m`, `12h`, `30d` in milliseconds. */
export function parseExpiry(text: string): number {
  const match = /^(\d+)([smhd])$/.exec(text);
  const milliseconds = Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (milliseconds > 0 && milliseconds <= EXPIRY_MS_MAX) return milliseconds;
  throw new InvalidArgumentError('Expected a duration such as 90s, 15m, 12h or 30d.');
}

/** Hours that the list of failures looks back, in hours or days. */
export function parseWithin(text: string): number {
  const match = /^(\d{1,3})([hd]?)$/.exec(text);
  const hours = Number(match?.[1]) * (match?.[2] === 'd' ? 24 : 1);
  if (hours >= 1 && hours <= WITHIN_HOURS_MAX) return hours;
  throw new InvalidArgumentError(
    'Expected hours or days such as 12h or 7d, at most 30d; without a unit it is hours.',
  );
}

/** As the API has it. */
const WITHIN_HOURS_MAX = 30 * 24;

/** An instant in UTC with milliseconds, as both databases compare it. */
export function parseInstant(text: string): string {
  const milliseconds = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(milliseconds)) return new Date(milliseconds).toISOString();
  throw new InvalidArgumentError('Expected an instant such as 2026-11-21T10:14:00Z.');
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A hundred years: well within what both databases can add to an instant. */
const EXPIRY_MS_MAX = 36_525 * 86_400_000;

/** As the domain has it; written out, since options are read before anything of the program is loaded. */
const RETENTION_DAYS_MAX: typeof DaysMax = 36_500;

/** Days that something is kept. */
export function parseDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days <= RETENTION_DAYS_MAX) return days;
  throw new InvalidArgumentError(`Expected a number of days from 0 to ${RETENTION_DAYS_MAX}.`);
}

/** How many are removed together. */
export function parseBatch(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= 1000) return count;
  throw new InvalidArgumentError('Expected a number from 1 to 1000.');
}

/** Days in a partition: many small ones would cost every statement a little. */
export function parseWidth(text: string): number {
  const days = Number(text);
  if (/^\d{1,3}$/.test(text) && days >= 1 && days <= 366) return days;
  throw new InvalidArgumentError('Expected a number of days from 1 to 366.');
}

/** `name=value`, added to those before it. */
export function parseLabel(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected a label such as customer=acme.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
