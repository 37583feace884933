/** Where `svc dev` listens, and where the commands look for it. */
export const DEFAULT_URL = 'http://127.0.0.1:7700';
