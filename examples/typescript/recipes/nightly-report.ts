import { defineFunction } from 'svc-sdk/worker';

export interface ReportSystems {
  readonly readSales: (day: string) => Promise<{ total: number }>;
  readonly send: (report: object, idempotencyKey: string) => Promise<void>;
}

export function defineNightlyReport({ readSales, send }: ReportSystems) {
  return defineFunction<{ region: string }>('nightly-report', async (ctx, { region }) => {
    const day = new Date(ctx.now()).toISOString().slice(0, 10);
    const sales = await ctx.step('read sales', () => readSales(day));
    await ctx.step('send', ({ idempotencyKey }) => send({ region, day, sales }, idempotencyKey));
  });
}
