import { z } from 'zod';

import { parseTraceparent, writeTraceparent } from '../../../shared/domain/traceparent.ts';
import type { StartExecution } from '../../../shared/engine/executions/start-execution.ts';
import type { ApiRequest } from '../../endpoint.ts';
import { userObject } from '../../schemas/json-values.ts';
import { givenLabels } from '../../schemas/labels.ts';
import { idText, omittable } from '../../schemas/text.ts';

const PRIORITY_DEFAULT = 5;

/** The members of a start, alone or as one of many. */
export const startFields = {
  workflow_id: idText,
  workflow_version: omittable(idText).meta({
    description: 'Default: the latest registered version.',
  }),
  input: userObject,
  labels: omittable(givenLabels).meta({
    description:
      'Names and values to find the execution by. Its children and retries have them too.',
  }),
  priority: omittable(z.int().min(0).max(9)).meta({
    description: `Work of this execution is handed out in this order: 0 first, 9 last, ${PRIORITY_DEFAULT} by default.`,
  }),
};

type StartBody = z.output<z.ZodObject<typeof startFields>>;

export function readStart(
  body: StartBody,
): Pick<StartExecution, 'workflowId' | 'workflowVersion' | 'input' | 'priority' | 'labels'> {
  return {
    workflowId: body.workflow_id,
    workflowVersion: body.workflow_version,
    input: body.input,
    priority: body.priority ?? PRIORITY_DEFAULT,
    ...(body.labels !== null && { labels: body.labels }),
  };
}

/** One that cannot be read is as if there were none. */
export function readTraceparent(
  request: Pick<ApiRequest<unknown, unknown, unknown>, 'header'>,
): Pick<StartExecution, 'traceparent'> {
  const given = request.header('traceparent');
  const parent = given === undefined ? null : parseTraceparent(given);
  return parent === null ? {} : { traceparent: writeTraceparent(parent) };
}
