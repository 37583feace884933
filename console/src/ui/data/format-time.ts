export type TimeZone = 'local' | 'utc';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `2026-03-01 14:05:09.120`, with its zone. */
export function formatInstant(at: string, zone: TimeZone): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  if (zone === 'utc') return `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
  const offsetMs = -date.getTimezoneOffset() * MINUTE_MS;
  const shifted = new Date(date.getTime() + offsetMs).toISOString();
  return `${shifted.replace('T', ' ').replace('Z', '')} ${formatOffset(offsetMs)}`;
}

/** `3 min ago`, `in 2 h`; `now` within a second. */
export function formatRelative(distanceMs: number): string {
  const size = Math.abs(distanceMs);
  if (size < SECOND_MS) return 'now';
  const text = formatLargest(size);
  return distanceMs < 0 ? `${text} ago` : `in ${text}`;
}

/** `412 ms`, `3.2 s`, `5 min 12 s`, `2 d 4 h`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${(durationMs / SECOND_MS).toFixed(1)} s`;
  if (durationMs < HOUR_MS) return twoParts(durationMs, MINUTE_MS, 'min', SECOND_MS, 's');
  if (durationMs < DAY_MS) return twoParts(durationMs, HOUR_MS, 'h', MINUTE_MS, 'min');
  return twoParts(durationMs, DAY_MS, 'd', HOUR_MS, 'h');
}

function formatLargest(sizeMs: number): string {
  if (sizeMs < MINUTE_MS) return `${Math.floor(sizeMs / SECOND_MS)} s`;
  if (sizeMs < HOUR_MS) return `${Math.floor(sizeMs / MINUTE_MS)} min`;
  if (sizeMs < DAY_MS) return `${Math.floor(sizeMs / HOUR_MS)} h`;
  return `${Math.floor(sizeMs / DAY_MS)} d`;
}

function twoParts(sizeMs: number, bigMs: number, big: string, smallMs: number, small: string) {
  const rest = Math.floor((sizeMs % bigMs) / smallMs);
  return `${Math.floor(sizeMs / bigMs)} ${big}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${hours}:${String(minutes % 60).padStart(2, '0')}`;
}
