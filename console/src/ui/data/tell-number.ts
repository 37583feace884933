/** `1 item`, `12,345 items`. */
export function tellNumber(number: number, thing: string): string {
  return `${number.toLocaleString('en')} ${thing}${number === 1 ? '' : 's'}`;
}
