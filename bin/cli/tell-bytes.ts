const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size for people, such as `12.3 MB`. */
export function tellBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power] ?? ''}`;
}
