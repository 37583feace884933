import type { Context } from 'koa';

/** Serialised here rather than by Koa, so that a value that cannot be is caught like any bug. */
export function sendJson(ctx: Context, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = text;
}
