import { gt, jsonSchema, typeOnly, workflow } from 'svc-sdk/workflow';

/** The same as examples/workflows/order.json. */
export const order = workflow('order', {
  name: 'Order',
  description: 'Reserves and charges an order, asks a person about large ones, and ships it.',
  state: jsonSchema<{ order_id: string; total: number }>({
    type: 'object',
    required: ['order_id', 'total'],
    properties: {
      order_id: { type: 'string', minLength: 1 },
      total: { type: 'number', minimum: 0 },
    },
  }),
  retryPolicies: {
    patient: {
      maxAttempts: 5,
      backoff: 'exponential',
      initialDelay: '500ms',
      maxDelay: '30s',
    },
  },
  timeouts: { nodeTimeout: '5m' },
})
  .step('prepare', ({ parallel }) => parallel({ branches: ['reserve', 'authorize'] }))
  .step('reserve', ({ state, pythonFn }) =>
    pythonFn({
      module: 'inventory',
      function: 'reserve',
      input: { order_id: state.order_id },
      outputSchema: typeOnly<{ warehouse: string }>(),
      outputKey: 'reservation',
      retryPolicy: 'patient',
    }),
  )
  .step('authorize', ({ state, pythonFn }) =>
    pythonFn({
      module: 'payment',
      function: 'authorize',
      input: { order_id: state.order_id, amount: state.total },
      outputKey: 'payment',
      retryPolicy: 'patient',
    }),
  )
  .step('prepared', ({ join }) => join({ waitFor: ['reserve', 'authorize'] }))
  .next('check_total', ({ state, condition }) =>
    condition({
      branches: [{ condition: gt(state.total, 100), target: 'review' }, { target: 'cool_off' }],
    }),
  )
  .step('review', ({ humanApproval }) =>
    humanApproval({
      description: 'This order is larger than 100. Ship it?',
      timeout: '7d',
      fallbackNode: 'decline',
    }),
  )
  .step('decline', ({ pass }) => pass({ output: { result: 'declined' } }))
  .step('cool_off', ({ wait }) => wait({ condition: 'timer', timeout: 2 }))
  .edge('review', 'cool_off')
  .next('dispatch', ({ state, pythonFn }) =>
    pythonFn({
      module: 'shipping',
      function: 'dispatch',
      input: { order_id: state.order_id, reservation: state.reservation },
      outputKey: 'shipment',
      nodeTimeout: 60,
    }),
  )
  .start('prepare')
  .build();
