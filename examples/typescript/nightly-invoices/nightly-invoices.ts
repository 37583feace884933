import { defineFunction } from 'svc-sdk/worker';

import { openInvoices, postReport, sendInvoice } from './billing.ts';

export const nightlyInvoices = defineFunction('nightly-invoices', async (ctx) => {
  const invoices = await ctx.step('open-invoices', openInvoices);
  await ctx.map(invoices, (id) => ctx.step('send', () => sendInvoice(id)));
  await ctx.step('report', () => postReport({ sent: invoices.length }));
});

export const everyNight = { cron_expression: '0 2 * * *', timezone: 'Europe/Berlin' };
