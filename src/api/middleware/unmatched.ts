import { notFound, SvcError } from '../../shared/domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';

/** Answers requests without a route: 405 or OPTIONS on a known path, 404 elsewhere. */
export function answerUnmatched(params: {
  /** Methods registered for a path; empty when there is no such path. */
  readonly methodsFor: (path: string) => readonly string[];
}): ApiMiddleware {
  return (ctx) => {
    const methods = params.methodsFor(ctx.path);
    if (methods.length === 0) throw notFound(`route ${ctx.method} ${ctx.path}`);
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', allow);
      ctx.status = 204;
      return;
    }
    throw new SvcError('method_not_allowed', `${ctx.method} ${ctx.path}, allowed: ${allow}`, {
      headers: { Allow: allow },
    });
  };
}
