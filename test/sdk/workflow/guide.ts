import {
  and,
  cel,
  gt,
  not,
  present,
  raw,
  typeOnly,
  unchecked,
  workflow,
  type FunctionRef,
} from 'svc-sdk/workflow';
import { z } from 'zod';

/* Programs of docs/guides/typescript-workflows.md, so that the compiler checks them. */

export const greeting = workflow('greeting', { state: z.object({ name: z.string() }) })
  .step('greet', ({ state, pass }) =>
    pass({ output: { greeting: cel<string>`"Hello, " + ${state.name}` } }),
  )
  .next('sign', ({ state, pass }) => pass({ output: { letter: { text: state.greeting } } }))
  .build();

const score = { name: 'score' } satisfies FunctionRef;
const ship: FunctionRef<{ order_id: string }, { parcel: string }> = { name: 'ship' };

export const parcels = workflow('parcels', { state: z.object({ order_id: z.string() }) })
  .step('score', ({ state, function: call }) => call(score, { input: { id: state.order_id } }))
  .next('ship', ({ state, function: call }) =>
    call(ship, { input: { order_id: state.order_id }, outputKey: 'shipment' }),
  )
  .next('tell', ({ state, pass }) => pass({ output: { parcel: state.shipment.parcel } }))
  .build();

export const greetings = workflow('greetings', { state: z.object({ names: z.array(z.string()) }) })
  .step('greet_all', ({ state, map }) =>
    map({
      items: state.names,
      step: ({ item, subgraph }) => subgraph(greeting, { input: { name: item } }),
      maxConcurrency: 20,
      onItemFailure: 'collect',
      outputKey: 'letters',
    }),
  )
  .build();

export const booking = workflow('booking', {
  state: z.object({ trip: z.string() }),
})
  .step('book', ({ state, pythonFn }) =>
    pythonFn({
      module: 'flights',
      function: 'book',
      input: { trip: state.trip },
      outputSchema: z.object({ flight: z.string() }),
      outputKey: 'booked',
      retryPolicy: 'io_default',
    }),
  )
  .next('charge', ({ state, pythonFn }) =>
    pythonFn({
      module: 'bank',
      function: 'charge',
      input: { flight: state.booked.flight },
      fallbackNode: 'cancel',
    }),
  )
  .step('cancel', ({ state, pythonFn }) =>
    pythonFn({
      module: 'flights',
      function: 'cancel',
      input: { flight: state.booked.flight },
      retryPolicy: { maxAttempts: 20, maxDelay: '5m' },
    }),
  )
  .build();

export const escape = workflow('escape', {
  state: z.object({ total: z.number(), note: z.string().optional() }),
})
  .step('a', ({ state, pass }) =>
    pass({
      output: {
        doubled: cel<number>`${state.total} * 2`,
        legacy: raw<string>('$.somewhere.else'),
        known: unchecked<string>(state.note),
      },
    }),
  )
  .step('b', ({ pass }) => pass())
  .edge('a', 'b', ({ state }) => ({
    condition: and(gt(state.total, 100), not(present(state.note))),
  }))
  .build();

export const event = workflow('event')
  .step('wait', ({ wait }) =>
    wait({
      condition: 'either',
      timeout: '1h',
      payload: typeOnly<{ paid: boolean }>(),
      outputKey: 'payment',
    }),
  )
  .build();
