import { admitRequest } from '../admit-request.ts';
import type { ServeRoute } from '../context.ts';
import type { EndpointDeps } from '../deps.ts';
import { renderPage, type DocsPage } from './render-page.ts';

export const DOCS_PATH = '/docs';

/**
 * The reference of the API for a browser. A browser sends no token with the address that a person
 * types, so `api.open_docs` opens the page; it holds the words of the OpenAPI document and nobody's
 * data. Else it takes any token, like the document itself.
 */
export function serveDocs(deps: EndpointDeps): ServeRoute {
  let page: DocsPage | null = null;
  return async (ctx) => {
    ctx.state.route = DOCS_PATH;
    const access = deps.settings.openDocs ? 'open' : 'read';
    await admitRequest({ ctx, deps, method: 'GET', access });
    page ??= renderPage(deps.openApi());
    ctx.set('Content-Security-Policy', page.policy);
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.type = 'text/html';
    ctx.body = page.html;
  };
}
