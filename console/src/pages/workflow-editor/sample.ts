/** The first text of a new workflow: it runs without a worker. */
export const SAMPLE = `workflow_id: greeting
version: 1.0.0
description: Greets a person, and signs the greeting.
state_schema:
  type: object
  required: [name]
  properties:
    name: { type: string }
start_node: greet
nodes:
  greet:
    kind:
      type: pass
      output:
        greeting: { expr: '"Hello, " + state.name' }
  sign:
    kind:
      type: pass
      output: { signed_by: svc }
edges:
  - { from: greet, to: sign }
`;
