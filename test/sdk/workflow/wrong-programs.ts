import {
  at,
  cel,
  eq,
  gt,
  httpTool,
  jsonSchema,
  not,
  orElse,
  typeOnly,
  workflow,
  type FunctionRef,
} from 'svc-sdk/workflow';
import { z } from 'zod';

/*
 * Programs that must not compile. Each follows its reason and has a correct neighbour, so the
 * compiler refuses the mistake and not the whole form. `npm run types` checks them, and
 * wrong-programs.test.ts counts them. Nothing here runs.
 */

const base = workflow('orders', {
  state: z.object({
    id: z.string(),
    total: z.number(),
    note: z.string().optional(),
    size: z.enum(['small', 'large']).optional(),
    items: z.array(z.object({ sku: z.string(), count: z.number() })),
  }),
  retryPolicies: { patient: { maxAttempts: 5 } },
  models: { fast: { provider: 'openai', model: 'gpt-5-mini' } },
  prompts: { short: 'Be short.' },
  mcpServers: { search: { url: 'https://search.example/mcp' } },
  remoteAgents: { translator: { url: 'https://translator.example' } },
  policies: { spending: { rules: [{ condition: cel`state.total < 100` }] } },
  tools: {
    charge: httpTool({
      url: 'https://shop.example/charges',
      inputSchema: z.object({ customer: z.string(), amount: z.number() }),
      outputSchema: z.object({ charge_id: z.string() }),
    }),
  },
});
const two = base
  .step('a', ({ pass }) => pass())
  .step('b', ({ pass }) => pass({ output: { done: true } }));
const ship: FunctionRef<{ id: string }, { parcel: string }> = { name: 'ship' };
const child = workflow('child', { state: z.object({ name: z.string() }) })
  .step('greet', ({ pass }) => pass({ output: { greeting: 'Hello' } }))
  .build();

export const edges = [
  two.edge('a', 'b'),
  // @ts-expect-error -- an edge from an unknown step
  two.edge('x', 'b'),
  // @ts-expect-error -- an edge to an unknown step
  two.edge('a', 'x'),
  two.edge('a', 'end'),
  // @ts-expect-error -- an edge from the end
  two.edge('end', 'a'),
  two.edge('a', 'b', { on: 'failure' }),
  // @ts-expect-error -- a wrong word for when an edge is taken
  two.edge('a', 'b', { on: 'error' }),
  two.edge('a', 'b', ({ state }) => ({ condition: gt(state.total, 3) })),
  // @ts-expect-error -- the condition of an edge reads an unknown key
  two.edge('a', 'b', ({ state }) => ({ condition: gt(state.totl, 3) })),
  // @ts-expect-error -- a condition is an expression, not text that nothing checks
  two.edge('a', 'b', { condition: 'state.total > 3' }),
  two.sequence('a', 'b'),
  // @ts-expect-error -- a sequence over an unknown step
  two.sequence('a', 'x'),
  two.start('a'),
  // @ts-expect-error -- an unknown first step
  two.start('x'),
  two.finalizer('tell', ({ finalizer }) => finalizer('charge', { input: CHARGE })),
  two
    .finalizer('tell', ({ finalizer }) => finalizer('charge', { input: CHARGE }))
    // @ts-expect-error -- no edge leads to a finalizer
    .edge('a', 'tell'),
];

const CHARGE = { customer: 'c', amount: 3 };

export const ids = [
  two.step('c', ({ pass }) => pass()),
  // @ts-expect-error -- an id that is taken
  two.step('a', ({ pass }) => pass()),
  // @ts-expect-error -- "end" is no step
  two.step('end', ({ pass }) => pass()),
  // @ts-expect-error -- what is returned is no step
  two.step('c', () => ({ output: 1 })),
];

export const targets = [
  two.step('c', ({ parallel }) => parallel({ branches: ['a', 'b'] })).build(),
  // @ts-expect-error -- a branch to an unknown step
  two.step('c', ({ parallel }) => parallel({ branches: ['a', 'x'] })).build(),
  two.step('c', ({ condition }) => condition({ branches: [{ target: 'end' }] })).build(),
  // @ts-expect-error -- a condition leads to an unknown step
  two.step('c', ({ condition }) => condition({ branches: [{ target: 'x' }] })).build(),
  two.step('c', ({ pass }) => pass({ fallbackNode: 'a' })).build(),
  // @ts-expect-error -- an unknown fallback
  two.step('c', ({ pass }) => pass({ fallbackNode: 'x' })).build(),
  two.step('c', ({ join }) => join({ waitFor: ['a'] })),
  // @ts-expect-error -- a join waits for an unknown step
  two.step('c', ({ join }) => join({ waitFor: ['x'] })),
  two.step('c', ({ policy }) => policy({ policyRef: 'spending', onViolation: 'warn' })).build(),
  two
    .step('c', ({ policy }) => policy({ onViolation: { branch: { target: 'x' } } }))
    // @ts-expect-error -- a violation leads to an unknown step
    .build(),
  two.step('c', (s) => s.eval({ scorers: [], onFail: { retry: { target: 'a' } } })),
  // @ts-expect-error -- an evaluation goes back to an unknown step
  two.step('c', (s) => s.eval({ scorers: [], onFail: { retry: { target: 'x' } } })),
];

export const reads = [
  base.step('c', ({ state, pass }) => pass({ output: { id: state.id } })),
  // @ts-expect-error -- an unknown key of the state
  base.step('c', ({ state, pass }) => pass({ output: { id: state.ide } })),
  base.step('c', ({ state, pass }) => pass({ output: { sku: at(state.items, 0).sku } })),
  // @ts-expect-error -- an unknown key in the items of a list
  base.step('c', ({ state, pass }) => pass({ output: { sku: at(state.items, 0).name } })),
  two.step('c', ({ state, pass }) => pass({ output: { was: state.done } })),
  // @ts-expect-error -- a key that only a later step writes
  base.step('c', ({ state, pass }) => pass({ output: { was: state.done } })),
];

export const writes = [
  base.step('c', ({ pass }) => pass({ output: { size: 'small' } })),
  // @ts-expect-error -- a word that the schema of the state does not have
  base.step('c', ({ pass }) => pass({ output: { size: 'medium' } })),
  base.step('c', (s) => s.pythonFn({ ...FN, outputKey: 'id', outputSchema: z.string() })),
  // @ts-expect-error -- an output of another type than its key in the state
  base.step('c', (s) => s.pythonFn({ ...FN, outputKey: 'id', outputSchema: z.number() })),
  // @ts-expect-error -- an output of unknown type under a declared key
  base.step('c', (s) => s.pythonFn({ ...FN, outputKey: 'id' })),
  // @ts-expect-error -- a second step writes another type under the same key
  two.step('c', ({ pass }) => pass({ output: { done: 'yes' } })),
];

const FN = { module: 'm', function: 'f' };

export const inputs = [
  base.step('c', ({ state, tool }) =>
    tool('charge', { input: { customer: state.id, amount: state.total } }),
  ),
  // @ts-expect-error -- an input without a required member
  base.step('c', ({ state, tool }) => tool('charge', { input: { customer: state.id } })),
  // @ts-expect-error -- no input, and the state is not one
  base.step('c', ({ tool }) => tool('charge')),
  // @ts-expect-error -- text where a number is needed
  base.step('c', (s) => s.tool('charge', { input: { customer: 'c', amount: s.state.id } })),
  // @ts-expect-error -- a member that the tool does not take
  base.step('c', (s) => s.tool('charge', { input: { ...CHARGE, amuont: 3, amount: 3 } })),
  // @ts-expect-error -- an unknown tool
  base.step('c', (s) => s.tool('refund', { input: CHARGE })),
  base.step('c', (s) =>
    s.tool('charge', { input: { customer: orElse(s.state.note, 'none'), amount: 3 } }),
  ),
  // @ts-expect-error -- a value that may be absent where one is required
  base.step('c', (s) => s.tool('charge', { input: { customer: s.state.note, amount: 3 } })),
  base.step('c', (s) => s.function(ship, { input: { id: s.state.id } })),
  // @ts-expect-error -- an input of a function of the wrong type
  base.step('c', (s) => s.function(ship, { input: { id: s.state.total } })),
  base.step('c', (s) => s.function(ship)),
  base.step('c', (s) => s.subgraph(child, { input: { name: s.state.id } })),
  // @ts-expect-error -- the input of a child execution lacks a member
  base.step('c', (s) => s.subgraph(child, { input: {} })),
  base
    .step('c', (s) => s.function(ship, { outputKey: 'shipment' }))
    .step('d', ({ state, pass }) => pass({ output: { parcel: state.shipment.parcel } })),
  base
    .step('c', (s) => s.function(ship, { outputKey: 'shipment' }))
    // @ts-expect-error -- an unknown member of the output of a function
    .step('d', ({ state, pass }) => pass({ output: { parcel: state.shipment.box } })),
  base.step('c', (s) =>
    s.map({ items: s.state.items, step: ({ item, pass }) => pass({ output: { sku: item.sku } }) }),
  ),
  base.step('c', (s) =>
    // @ts-expect-error -- an unknown member of the item of a map
    s.map({ items: s.state.items, step: ({ item, pass }) => pass({ output: { sku: item.name } }) }),
  ),
  // @ts-expect-error -- a map over what is no list
  base.step('c', (s) => s.map({ items: s.state.total, step: ({ pass }) => pass() })),
];

export const words = [
  base.step('c', ({ pass }) => pass({ retryPolicy: 'patient' })),
  base.step('c', ({ pass }) => pass({ retryPolicy: 'io_default' })),
  // @ts-expect-error -- an unknown retry policy
  base.step('c', ({ pass }) => pass({ retryPolicy: 'impatient' })),
  // @ts-expect-error -- a wrong word for how delays grow
  base.step('c', ({ pass }) => pass({ retryPolicy: { backoff: 'expo' } })),
  // @ts-expect-error -- an unknown member of a retry policy
  base.step('c', ({ pass }) => pass({ retryPolicy: { attempts: 3 } })),
  base.step('c', ({ pass }) => pass({ nodeTimeout: '5m' })),
  // @ts-expect-error -- a unit that durations do not have
  base.step('c', ({ pass }) => pass({ nodeTimeout: '5 minutes' })),
  base.step('c', ({ pass }) => pass({ dataPolicy: { action: 'hash' } })),
  // @ts-expect-error -- a wrong word of a data policy
  base.step('c', ({ pass }) => pass({ dataPolicy: { action: 'hide' } })),
  // @ts-expect-error -- an unknown detector
  base.step('c', ({ pass }) => pass({ dataPolicy: { detectors: ['passport'] } })),
  // @ts-expect-error -- an unknown member of a policy
  base.step('c', ({ pass }) => pass({ policy: { blocked: ['x'] } })),
  // @ts-expect-error -- an option that no step has
  base.step('c', ({ pass }) => pass({ retries: 3 })),
  base.step('c', ({ wait }) => wait({ condition: 'timer', timeout: 2 })),
  // @ts-expect-error -- a timer without a time
  base.step('c', ({ wait }) => wait({ condition: 'timer' })),
  // @ts-expect-error -- a wrong word for what is waited for
  base.step('c', ({ wait }) => wait({ condition: 'event', timeout: 2 })),
  // @ts-expect-error -- an approval that does not say what it is about
  base.step('c', ({ humanApproval }) => humanApproval({})),
  base.step('c', ({ model }) => model({ model: 'fast', promptRef: 'short' })),
  // @ts-expect-error -- an unknown model
  base.step('c', ({ model }) => model({ model: 'slow', prompt: 'Hello' })),
  // @ts-expect-error -- an unknown prompt
  base.step('c', ({ model }) => model({ model: 'fast', promptRef: 'long' })),
  // @ts-expect-error -- a model may call an unknown tool
  base.step('c', ({ model }) => model({ model: 'fast', prompt: 'Hi', tools: ['refund'] })),
  // @ts-expect-error -- an unknown MCP server
  base.step('c', ({ mcpTool }) => mcpTool({ server: 'find', tool: 'echo' })),
  // @ts-expect-error -- an unknown remote agent
  base.step('c', ({ a2aTask }) => a2aTask({ remoteAgent: 'speaker' })),
  // @ts-expect-error -- unknown rules
  base.step('c', ({ policy }) => policy({ policyRef: 'limits' })),
  // @ts-expect-error -- a scorer without what it measures
  base.step('c', (s) => s.eval({ scorers: [{ type: 'assertion' }] })),
];

export const expressions = [
  base.step('c', ({ state, condition }) =>
    condition({ branches: [{ condition: not(eq(state.id, 'x')), target: 'end' }] }),
  ),
  base.step('c', ({ state, condition }) =>
    // @ts-expect-error -- text is compared with a number
    condition({ branches: [{ condition: eq(state.id, 3), target: 'end' }] }),
  ),
  base.step('c', ({ state, condition }) =>
    // @ts-expect-error -- a value that may be absent is ordered
    condition({ branches: [{ condition: gt(state.note, 'a'), target: 'end' }] }),
  ),
];

export const definitions = [
  workflow('w', { state: jsonSchema<{ a: string }>({}), onBudgetExceeded: 'warn' }),
  // @ts-expect-error -- a wrong word for a used-up budget
  workflow('w', { onBudgetExceeded: 'stop' }),
  // @ts-expect-error -- an option that no definition has
  workflow('w', { budget: 3 }),
  // @ts-expect-error -- continue as new without a condition
  workflow('w', { continueAsNew: {} }),
  // @ts-expect-error -- a time limit of an unknown name
  workflow('w', { timeouts: { total: '1h' } }),
  workflow('w', { mcpServers: { s: { url: 'u', auth: { type: 'bearer', tokenEnv: 'T' } } } }),
  // @ts-expect-error -- a login without the name of its secret
  workflow('w', { mcpServers: { s: { url: 'u', auth: { type: 'bearer' } } } }),
  workflow('w', { state: typeOnly<{ a: string }>() }),
  // @ts-expect-error -- a state without a schema
  workflow('w', { state: { a: 'string' } }),
];
