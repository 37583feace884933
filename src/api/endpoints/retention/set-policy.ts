import { z } from 'zod';

import { setRetentionPolicy as set } from '../../../shared/engine/retention/policies.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { given, idText, omittable } from '../../schemas/text.ts';
import { daysFields, policyShape, readDays, shapePolicy } from './policy-shape.ts';

export const setRetentionPolicy = defineEndpoint({
  name: 'set-retention-policy',
  method: 'PUT',
  path: '/retention/policies',
  access: 'operate',
  summary: 'Sets how long executions are kept after their end',
  note:
    'Replaces the policy of that workflow, or of the tenant. A scheduler removes older ' +
    "executions, with their events, within minutes; you can't undo that. See " +
    '`docs/operate/retention.md`.',
  body: z
    .strictObject({
      workflow_id: omittable(idText).meta({
        description: 'Absent: all workflows of the tenant without their own policy.',
      }),
      ...daysFields,
    })
    .meta({ anyOf: Object.keys(daysFields).map(given) }),
  replies: { 200: policyShape },
  async handle({ body, caller }, { engine }) {
    const policy = { workflowId: body.workflow_id, days: readDays(body) };
    await set(engine, caller, policy);
    return { status: 200, body: shapePolicy(policy) };
  },
});
