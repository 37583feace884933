const BYTES = 16;

/** A new idempotency key. `crypto.randomUUID` is absent where the page comes by plain HTTP. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
