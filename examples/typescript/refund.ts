import { cel, gt, httpTool, orElse, prompt, workflow } from 'svc-sdk/workflow';
import { z } from 'zod';

const Verdict = z.object({ allowed: z.boolean(), reason: z.string() });

const bank = httpTool({
  url: 'https://bank.example/refunds',
  method: 'POST',
  headers: { authorization: 'Bearer ${secret:SVC_SECRET_BANK}' },
  inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
  outputSchema: z.object({ refund_id: z.string() }),
});

/** A model judges a refund, a person approves a large one, and a tool pays it. */
export const refund = workflow('refund', {
  version: '1.0.0',
  state: z.object({
    order_id: z.string(),
    amount: z.number().positive(),
    message: z.string(),
    currency: z.string().optional(),
  }),
  models: { fast: { provider: 'openai', model: 'gpt-5-mini' } },
  tools: { bank },
  retryPolicies: { patient: { maxAttempts: 8, initialDelay: '500ms' } },
  timeouts: { workflowTimeout: '14d' },
})
  .step('judge', ({ state, model }) =>
    model({
      model: 'fast',
      systemPrompt: 'You decide about refunds of a shop.',
      prompt: prompt`May we refund ${state.amount}?\n\n${state.message}`,
      outputSchema: Verdict,
      outputKey: 'verdict',
    }),
  )
  .next('route', ({ state, condition }) =>
    condition({
      branches: [
        { condition: cel`!${state.last_model_output.allowed}`, target: 'refuse' },
        { condition: gt(state.amount, 100), target: 'approve' },
        { target: 'pay' },
      ],
    }),
  )
  .step('approve', ({ humanApproval }) =>
    humanApproval({ description: 'Refund more than 100?', timeout: '7d', fallbackNode: 'refuse' }),
  )
  .next('pay', ({ state, tool }) =>
    tool('bank', {
      input: { order_id: state.order_id, amount: state.amount },
      outputKey: 'refund',
      retryPolicy: 'patient',
    }),
  )
  .next('done', ({ state, pass }) =>
    pass({
      output: {
        refund_id: state.refund.refund_id,
        currency: orElse(state.currency, 'EUR'),
      },
    }),
  )
  .step('refuse', ({ pass }) => pass({ output: { refused: true } }))
  .start('judge')
  .build();
