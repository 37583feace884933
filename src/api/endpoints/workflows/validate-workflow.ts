import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../../shared/domain/json.ts';
import { guessFormat } from '../../../shared/domain/document.ts';
import type { Problem } from '../../../shared/domain/workflow/problem.ts';
import {
  type Placed,
  REGISTRATIONS,
  type ValidatedWorkflow,
  type ValidDefinition,
  validateWorkflow as validate,
} from '../../../shared/engine/workflows/validate-workflow.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { omittable } from '../../schemas/text.ts';

const TEXT_MAX = 262_144;

const body = z
  .strictObject({
    ir: omittable(z.custom<JsonObject>(isJsonObject, 'must be an object').meta({ type: 'object' })),
    text: omittable(z.string().max(TEXT_MAX)).meta({
      description: 'The definition as a file holds it, instead of `ir`.',
    }),
    format: omittable(z.enum(['json', 'yaml'])).meta({
      description: 'The format of `text`. Default: JSON if it begins with a brace, otherwise YAML.',
    }),
  })
  .refine(({ ir, text }) => (ir === null) !== (text === null), 'needs either ir or text');

const place = {
  line: z.int().min(1).nullable().meta({ description: 'Line in `text`; null without one.' }),
  column: z.int().min(1).nullable(),
};
const finding = {
  pointer: z.string().meta({ description: 'JSON pointer from the root of the definition.' }),
  message: z.string(),
  ...place,
};

const reply = z.object({
  valid: z.boolean(),
  problems: z.array(z.object(finding)),
  warnings: z.array(z.object({ code: z.string(), ...finding })),
  definition: z
    .object({
      workflow_id: z.string(),
      version: z.string(),
      ir_hash: z.string(),
      ir: anyObject.meta({ description: 'In the form that a registration stores.' }),
      registration: z.enum(REGISTRATIONS),
      revision: z.int().min(1).meta({ description: 'The revision it has after that.' }),
    })
    .nullable()
    .meta({ description: 'Null: it cannot run.' }),
});
type Reply = z.input<typeof reply>;

export const validateWorkflow = defineEndpoint({
  name: 'validate-workflow',
  method: 'POST',
  path: '/workflows/validate',
  access: 'write',
  summary: 'Checks a workflow definition and stores nothing',
  note:
    'Finds the same problems and warnings as `POST /workflows`, and answers 200 with them. Send ' +
    'the definition as `ir`, or as the `text` of a JSON or YAML file: then each problem carries ' +
    'its line and column. `registration` says what a registration would do at this moment.',
  body,
  replies: {
    200: reply,
  },
  async handle(request, { engine }) {
    const { body, caller } = request;
    const found = await validate(engine, caller, {
      source:
        body.text === null
          ? { ir: body.ir }
          : { text: body.text, format: body.format ?? guessFormat(body.text) },
      signal: request.gone(),
    });
    return { status: 200, body: shapeAnswer(found) };
  },
});

function shapeAnswer({ problems, warnings, definition }: ValidatedWorkflow): Reply {
  return {
    valid: definition !== null,
    problems: problems.map(shapeFinding),
    warnings: warnings.map((warning) => ({ ...shapeFinding(warning), code: warning.code })),
    definition: definition === null ? null : shapeDefinition(definition),
  };
}

function shapeFinding({ pointer, message, place }: Placed<Problem>): Reply['problems'][number] {
  return { pointer, message, line: place?.line ?? null, column: place?.column ?? null };
}

function shapeDefinition(definition: ValidDefinition): NonNullable<Reply['definition']> {
  return {
    workflow_id: definition.workflowId,
    version: definition.version,
    ir_hash: definition.irHash,
    ir: definition.ir,
    registration: definition.registration,
    revision: definition.revision,
  };
}
