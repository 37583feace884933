/**
 * Windows of the audit log that the survey reads in one transaction. A large installation has many
 * thousands, most of them small, and a transaction costs more than such a window.
 */
export const SURVEYED_WINDOWS = { min: 10, max: 640 };

/** A slow transaction keeps others waiting on SQLite, and dead rows alive on PostgreSQL. */
const READ_MS = { quick: 50, slow: 200 };

/** How many windows to read next, after reading `windows` took `tookMs`. */
export function nextWindows(windows: number, tookMs: number): number {
  const { min, max } = SURVEYED_WINDOWS;
  if (tookMs > READ_MS.slow) return Math.max(min, Math.floor(windows / 2));
  return tookMs < READ_MS.quick ? Math.min(max, windows * 2) : windows;
}
