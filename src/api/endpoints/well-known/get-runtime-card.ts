import { z } from 'zod';

import {
  describeRuntime,
  describeRuntimeForA2a,
} from '../../../shared/domain/agents/runtime-card.ts';
import { agentUrl, CARD_FRESH_SECONDS, describeSkill } from '../../a2a/workflow-agent-card.ts';
import type { EndpointDeps } from '../../deps.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { etagOf, isKnown } from '../../if-none-match.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { FOR_EVERYONE } from './for-everyone.ts';

export const getRuntimeCard = defineEndpoint({
  name: 'get-runtime-card',
  method: 'GET',
  path: '/.well-known/agent.json',
  access: 'open',
  summary: 'Gives the runtime’s own Agent Card, for discovery by other runtimes',
  replies: { 200: anyObject },
  handle: async (request, deps) => answerCard(request, describeRuntime(await factsOf(deps))),
});

export const getAgentCard = defineEndpoint({
  name: 'get-agent-card',
  method: 'GET',
  path: '/.well-known/agent-card.json',
  access: 'open',
  summary: 'Gives the runtime’s Agent Card in A2A 1.0',
  note:
    'Its one interface is a custom binding, this API. Workflows of the tenant `default` that are ' +
    'exposed are among its skills, each with the `url` of its own agent; see `docs/guides/a2a.md`.',
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
  handle: async (request, deps) => answerCard(request, describeRuntimeForA2a(await factsOf(deps))),
});

function answerCard<Card extends object>(
  request: { header(name: string): string | undefined },
  body: Card,
) {
  const etag = etagOf(body);
  const caching = { ETag: etag, 'Cache-Control': `public, max-age=${CARD_FRESH_SECONDS}` };
  const headers = { ...FOR_EVERYONE, ...caching };
  if (isKnown(request.header('If-None-Match'), etag)) return { status: 304, headers } as const;
  return { status: 200, headers, body } as const;
}

async function factsOf({ publicUrl, version, settings, exposed }: EndpointDeps) {
  const url = publicUrl();
  const skills = (await exposed()).map((workflow) => ({
    ...describeSkill(workflow),
    url: agentUrl(url, workflow.workflowId),
  }));
  return { publicUrl: url, version, protected: settings.auth.enabled, exposed: skills };
}
