import { notFound, SvcError } from '../../shared/domain/errors.ts';
import type { ApiContext } from '../context.ts';

/** Answers requests without a route: 405 or OPTIONS on a known path, 404 elsewhere. */
export function answerUnmatched(
  ctx: ApiContext,
  /** The methods of the routes with this path; empty when there is none. */
  methods: readonly string[],
): void {
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
}
