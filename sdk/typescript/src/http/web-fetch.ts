/** The `fetch` of browsers and other hosts; looked up with each call, so that a page may replace it. */
export const send: typeof fetch = (input, init) => globalThis.fetch(input, init);
