import { badRequest, SvcError } from '../../shared/domain/errors.ts';
import { admitRequest } from '../admit-request.ts';
import type { ApiContext, ServeRoute } from '../context.ts';
import type { EndpointDeps } from '../deps.ts';
import { createReadBody } from '../middleware/body.ts';
import { answerUnmatched } from '../middleware/unmatched.ts';
import { sendJson } from '../send.ts';
import {
  isTokenText,
  renderEndedSession,
  renderSessionCookie,
  SESSION_TOKEN_BYTES_MAX,
} from './session-cookie.ts';

const ROUTE = '/console/api/session';
const BODY_BYTES_MAX = 16_384;
const METHODS = ['GET', 'POST', 'DELETE'] as const;

/**
 * The session of the console. `POST` exchanges a token for a cookie that no script can read,
 * `DELETE` removes the cookie, and `GET` says whether the caller would be let in.
 */
export function createServeSession(deps: EndpointDeps): ServeRoute {
  const readBody = createReadBody({ bodyBytesMax: BODY_BYTES_MAX });
  return async (ctx) => {
    ctx.state.route = ROUTE;
    switch (ctx.method) {
      case 'GET':
      case 'HEAD':
        return sendJson(ctx, { status: 200, body: await describeSession(ctx, deps) });
      case 'POST': {
        const { token } = await readBody(ctx);
        if (typeof token !== 'string') throw badRequest('/token must be a string');
        return signIn(ctx, deps, token.trim());
      }
      case 'DELETE':
        ctx.set('Set-Cookie', renderEndedSession({ isSecure: isSecure(ctx) }));
        ctx.status = 204;
        return;
      default:
        answerUnmatched(ctx, METHODS);
    }
  };
}

async function describeSession(ctx: ApiContext, deps: EndpointDeps): Promise<Session> {
  const needsToken = deps.settings.auth.enabled;
  try {
    await admitRequest({ ctx, deps, method: 'GET', access: 'fetch' });
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'unauthorized') throw error;
    return { authenticated: false, needs_token: needsToken };
  }
  return { authenticated: true, needs_token: needsToken };
}

interface Session {
  readonly authenticated: boolean;
  readonly needs_token: boolean;
}

async function signIn(ctx: ApiContext, deps: EndpointDeps, token: string): Promise<void> {
  if (!isTokenText(token)) throw badRequest('/token: a token has no spaces and only ASCII');
  if (token.length > SESSION_TOKEN_BYTES_MAX) {
    throw badRequest(`/token: the token is longer than ${SESSION_TOKEN_BYTES_MAX} bytes`);
  }
  ctx.req.headers.authorization = `Bearer ${token}`;
  await admitRequest({ ctx, deps, method: 'GET', access: 'fetch' });
  const session: Session = { authenticated: true, needs_token: deps.settings.auth.enabled };
  const cookie = renderSessionCookie({ token, isSecure: isSecure(ctx) });
  sendJson(ctx, { status: 200, body: session, headers: { 'Set-Cookie': cookie } });
}

/**
 * Whether the browser reached the console by HTTPS. It says so in `Origin`, even where a proxy
 * talks to this service in plain HTTP.
 */
function isSecure(ctx: ApiContext): boolean {
  return ctx.secure || ctx.get('Origin').startsWith('https://');
}
