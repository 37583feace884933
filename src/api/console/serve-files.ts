import { notFound, SvcError } from '../../shared/domain/errors.ts';
import type { ApiContext } from '../context.ts';
import { createConsoleFiles, type ConsoleFile } from './console-files.ts';
import { NOT_BUILT, renderNotBuilt } from './not-built.ts';
import { pagePolicy } from './page-policy.ts';

const PAGE_ROUTE = '/console/*';
const FILE_ROUTE = '/console/assets/*';
/** The build puts a hash of the content into the names of these. */
const HASHED = 'assets/';

/** Serves the files of the console's build, and its page on every other path: the page has routes of its own. */
export function createServeFiles(params: {
  readonly folder: string;
  readonly randomBytes: (count: number) => Uint8Array;
}): (ctx: ApiContext, name: string) => Promise<void> {
  const { folder, randomBytes } = params;
  const files = createConsoleFiles(folder);
  return async (ctx, name) => {
    ctx.state.route = PAGE_ROUTE;
    refuseChange(ctx);
    const encodings = ctx.acceptsEncodings();
    const file = await files.open(name, encodings);
    if (file !== null) return sendFile(ctx, name, file);
    if (name.startsWith(HASHED)) throw notFound(`file ${ctx.path}`);
    const page = await files.readPage();
    if (page === null) return sendNotBuilt(ctx);
    const nonce = Buffer.from(randomBytes(16)).toString('base64');
    setPageHeaders(ctx, nonce);
    ctx.type = 'text/html';
    ctx.body = fillPage({ page, nonce, base: baseOf(name) });
  };
}

function refuseChange(ctx: ApiContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  const allow = 'GET, HEAD';
  throw new SvcError('method_not_allowed', `${ctx.method} ${ctx.path}, allowed: ${allow}`, {
    headers: { Allow: allow },
  });
}

function sendFile(ctx: ApiContext, name: string, file: ConsoleFile): void {
  ctx.state.route = FILE_ROUTE;
  ctx.set({
    'Content-Type': file.contentType,
    'Cache-Control': name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
    ...(file.bytes !== null && { 'Content-Length': String(file.bytes) }),
    ...(file.encoding !== null && { 'Content-Encoding': file.encoding }),
  });
  ctx.status = 200;
  // Koa takes the type from `Content-Type`, and ends the file when its answer ends.
  ctx.body = file.content;
}

/** From a page's address back to the console's root. The path has no dots to resolve. */
function baseOf(name: string): string {
  return '../'.repeat(name.split('/').length - 1) || './';
}

function fillPage(params: {
  readonly page: string;
  readonly nonce: string;
  readonly base: string;
}): string {
  const { page, nonce, base } = params;
  const filled = `<base href="${base}" /><meta property="csp-nonce" nonce="${nonce}" />`;
  return page.replace(/<base\s[^>]*>/, filled);
}

function sendNotBuilt(ctx: ApiContext): void {
  if (ctx.accepts('text/html', 'application/json') !== 'text/html') {
    throw new SvcError('unavailable', NOT_BUILT);
  }
  setPageHeaders(ctx, '');
  ctx.status = 503;
  ctx.set('Retry-After', '3');
  ctx.type = 'text/html';
  ctx.body = renderNotBuilt();
}

function setPageHeaders(ctx: ApiContext, nonce: string): void {
  ctx.set({
    'Content-Security-Policy': pagePolicy(nonce),
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    Vary: 'Accept',
  });
}
