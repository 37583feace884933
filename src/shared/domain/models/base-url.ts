/**
 * Whether a base URL is another one or below it, by whole parts of the path: the origin alone would
 * not do, since on a shared gateway the path says whose account is called. A path with percent signs
 * is below none, as the server may read more out of it than is seen here.
 */
export function isWithinUrl(candidate: string, trusted: string): boolean {
  if (!URL.canParse(candidate) || !URL.canParse(trusted)) return false;
  const [inner, outer] = [new URL(candidate), new URL(trusted)];
  if (inner.origin !== outer.origin || inner.username !== '' || inner.password !== '') return false;
  if (inner.search !== '' || inner.hash !== '' || inner.pathname.includes('%')) return false;
  return withSlash(inner.pathname).startsWith(withSlash(outer.pathname));
}

/** Checks a workflow's base URL. Returns the error, or null. */
export function findBaseUrlProblem(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return NO_URL;
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return NO_URL;
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  if (/[?#]/.test(baseUrl)) return 'must not have a query or fragment: paths are added to it';
  return null;
}

const NO_URL = 'must be an http:// or https:// URL';

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
