/**
 * The Content-Security-Policy of the console's page: nothing from elsewhere, no inline script, no
 * frame around it. The nonce admits the style elements that the page's own code adds; the page
 * reads it from its `<meta property="csp-nonce">`. An empty nonce admits none.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self'${nonce === '' ? '' : ` 'nonce-${nonce}'`}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
