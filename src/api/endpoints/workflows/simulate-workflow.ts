import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../../shared/domain/json.ts';
import type { NodeSample } from '../../../shared/engine/simulation/answer-visit.ts';
import { simulateWorkflow as simulate } from '../../../shared/engine/workflows/simulate-workflow.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject, userObject, userValue } from '../../schemas/json-values.ts';
import { omittable } from '../../schemas/text.ts';

const object = z.custom<JsonObject>(isJsonObject, 'must be an object').meta({ type: 'object' });

const sample = z.strictObject({
  output: omittable(userValue).meta({
    description:
      'Its output, the payload of the event it waits for, or the last state of its child.',
  }),
  state_patch: omittable(userObject),
  error: omittable(z.string().min(1)).meta({
    description: 'It fails permanently, with this error.',
  }),
  error_class: omittable(z.string().min(1)),
  decision: omittable(z.enum(['approved', 'rejected'])).meta({
    description: "A person's decision. Default `approved`.",
  }),
});

export const simulateWorkflow = defineEndpoint({
  name: 'simulate-workflow',
  method: 'POST',
  path: '/workflows/simulate',
  access: 'write',
  summary: 'Runs a definition in memory with sample outputs',
  note:
    'The engine decides as it does in an execution, and `samples` stand for everything that works ' +
    'or waits outside, by node: nothing is called, nobody waits, and nothing is stored. A node ' +
    'without a sample succeeds with the output null and is listed in `assumed`; timers fire at ' +
    'once. A definition that cannot run, or an input that it refuses, is a 400.',
  body: z.strictObject({
    ir: object,
    input: omittable(userObject),
    samples: omittable(z.record(z.string(), sample)),
  }),
  replies: {
    200: z.object({
      status: z.string(),
      state: anyObject,
      error: z.string().nullable(),
      events: z.array(
        z.object({
          sequence: z.int().min(1),
          kind: z.string(),
          node_id: z.string().nullable(),
          payload: z.unknown(),
        }),
      ),
      assumed: z.array(z.string()).meta({ description: 'Nodes that had no sample.' }),
      is_complete: z.boolean().meta({ description: 'False: it was cut off; a loop may not end.' }),
    }),
  },
  errors: [400],
  async handle(request, { engine }) {
    const { body, caller } = request;
    const run = await simulate(engine, caller, {
      ir: body.ir,
      input: body.input ?? {},
      samples: readSamples(body.samples ?? {}),
      signal: request.gone(),
    });
    const { status, state, error, assumed, isComplete } = run;
    const events = run.events.map(({ sequence, kind, nodeId, payload }) => ({
      sequence,
      kind,
      node_id: nodeId,
      payload,
    }));
    return {
      status: 200,
      body: { status, state, error, events, assumed: assumed.slice(), is_complete: isComplete },
    };
  },
});

function readSamples(
  sent: Readonly<Record<string, z.output<typeof sample>>>,
): Readonly<Record<string, NodeSample>> {
  return Object.fromEntries(
    Object.entries(sent).map(([id, { output, state_patch, error, error_class, decision }]) => [
      id,
      {
        ...(output !== null && { output }),
        ...(state_patch !== null && { statePatch: state_patch }),
        ...(error !== null && { error }),
        ...(error_class !== null && { errorClass: error_class }),
        ...(decision !== null && { decision }),
      },
    ]),
  );
}
