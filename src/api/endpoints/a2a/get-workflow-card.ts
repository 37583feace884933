import { z } from 'zod';

import { findExposed } from '../../a2a/find-exposed.ts';
import {
  A2A_PATH,
  CARD_FRESH_SECONDS,
  CARD_SUFFIX,
  describeWorkflowAgent,
  describeWorkflowAgentFor03,
} from '../../a2a/workflow-agent-card.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { etagOf, isKnown } from '../../if-none-match.ts';
import { anyObject } from '../../schemas/json-values.ts';

export const getWorkflowCard = defineEndpoint({
  name: 'get-workflow-card',
  method: 'GET',
  path: `${A2A_PATH}${CARD_SUFFIX}`,
  access: 'read',
  summary: 'Gives the Agent Card of a workflow that is exposed as an A2A agent',
  note:
    'In A2A 1.0 for a client that says `A2A-Version: 1.0`, else in 0.3. The agent itself is reached with ' +
    `\`POST ${A2A_PATH}\`. A workflow whose definition does not say \`"expose": {"a2a": true}\` is ` +
    'answered like one that does not exist. `If-None-Match` with the `ETag` of an unchanged card ' +
    'is answered with 304.',
  params: z.object({ workflow_id: z.string().meta({ description: 'Workflow id.' }) }),
  replies: {
    200: z.looseObject({
      name: z.string(),
      description: z.string(),
      version: z.string(),
      supportedInterfaces: z.array(anyObject),
      capabilities: anyObject,
      skills: z.array(anyObject),
    }),
  },
  errors: [404],
  async handle(request, { engine, publicUrl, settings }) {
    const { params, caller } = request;
    const workflow = await findExposed(engine, caller, params.workflow_id);
    const facts = { workflow, publicUrl: publicUrl(), protected: settings.auth.enabled };
    // As the SDK's own servers do: clients of 0.3 know no such header.
    const isLater = (request.header('A2A-Version') ?? '0.3') !== '0.3';
    const body = isLater ? describeWorkflowAgent(facts) : describeWorkflowAgentFor03(facts);
    const etag = etagOf(body);
    const headers = {
      ETag: etag,
      'Cache-Control': `private, max-age=${CARD_FRESH_SECONDS}`,
      'Last-Modified': new Date(workflow.registeredAt).toUTCString(),
      Vary: 'A2A-Version, Authorization, X-Tenant-Id',
    };
    if (isKnown(request.header('If-None-Match'), etag)) return { status: 304, headers };
    return { status: 200, headers, body };
  },
});
