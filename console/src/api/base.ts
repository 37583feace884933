/**
 * Where the console is served, with a slash at its end. The server writes a relative `<base>` into
 * the page, so this is right behind any path prefix without a setting.
 */
export const CONSOLE_URL = new URL('.', document.baseURI);

/** The API, as the console's session may call it. */
export const API_URL = new URL('api/', CONSOLE_URL);
