import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { JsonObject } from '../../shared/domain/json.ts';
import { listOperations, readOpenApi, type ListedOperation } from '../openapi/reading.ts';
import { html, Html, renderWords } from './html.ts';
import { renderOperation } from './render-operation.ts';

export interface DocsPage {
  readonly html: string;
  /** Content-Security-Policy under which the page, and nothing put into it, works. */
  readonly policy: string;
}

/**
 * The API's reference as one page that needs nothing else: readable without its script, which adds
 * forms to send requests with. The policy names script and style by their hashes, so that no text
 * in the page could ever become one of them.
 */
export function renderPage(document: JsonObject): DocsPage {
  const { info } = readOpenApi(document);
  const areas = Map.groupBy(listOperations(document), ({ operation }) => operation.tags[0] ?? '');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}</title>
        <link rel="icon" href="data:," />
        ${inline('style', style)}
      </head>
      <body>
        <a class="skip" href="#main">To the endpoints</a>
        <header>
          <h1>${info.title} <small>${info.version}</small></h1>
          ${renderWords(info.description)}
          <form id="caller" class="needs-script" hidden>
            <label
              >Token <input id="token" type="password" autocomplete="off" spellcheck="false"
            /></label>
            <label>X-Tenant-Id <input id="tenant" autocomplete="off" spellcheck="false" /></label>
            <label>Find <input id="find" type="search" placeholder="method, path, word" /></label>
            <p>The token stays in this page until it is closed or loaded again.</p>
          </form>
          <nav aria-label="Areas">
            <ul>
              ${[...areas.keys()].map((area) => html`<li><a href="#area-${area}">${area}</a></li>`)}
            </ul>
          </nav>
        </header>
        <main id="main">
          ${[...areas].map(([area, operations]) => renderArea(area, operations))}
        </main>
        ${inline('script type="module"', script)}
      </body>
    </html> `;
  return { html: page.text, policy: POLICY };
}

function renderArea(area: string, operations: readonly ListedOperation[]): Html {
  return html`<section aria-labelledby="area-${area}">
    <h2 id="area-${area}">${area}</h2>
    ${operations.map(renderOperation)}
  </section> `;
}

const script = readAsset('page.js');
const style = readAsset('page.css');

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Files of their own, so that the tools for their languages look at them. */
function readAsset(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** Character by character: the hash covers everything between the tags. */
function inline(tag: string, text: string): Html {
  return new Html(`<${tag}>${text}</${tag.replace(/ .*/, '')}>`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
