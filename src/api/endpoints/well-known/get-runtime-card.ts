import { z } from 'zod';

import {
  describeRuntime,
  describeRuntimeForA2a,
} from '../../../shared/domain/agents/runtime-card.ts';
import type { EndpointDeps } from '../../deps.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { FOR_EVERYONE } from './for-everyone.ts';

export const getRuntimeCard = defineEndpoint({
  name: 'get-runtime-card',
  method: 'GET',
  path: '/.well-known/agent.json',
  access: 'open',
  summary: 'Gives the Agent Card of the runtime itself, by which other runtimes discover it',
  replies: { 200: anyObject },
  handle: async (_request, deps) => ({
    status: 200,
    headers: FOR_EVERYONE,
    body: describeRuntime(factsOf(deps)),
  }),
});

export const getAgentCard = defineEndpoint({
  name: 'get-agent-card',
  method: 'GET',
  path: '/.well-known/agent-card.json',
  access: 'open',
  summary: 'Gives the same as an Agent Card of A2A 1.0',
  note:
    'Its one interface is a custom binding, this API: the runtime speaks none of the bindings that ' +
    'A2A defines itself.',
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
  handle: async (_request, deps) => ({
    status: 200,
    headers: FOR_EVERYONE,
    body: describeRuntimeForA2a(factsOf(deps)),
  }),
});

function factsOf({ publicUrl, version, settings }: EndpointDeps) {
  return { publicUrl: publicUrl(), version, protected: settings.auth.enabled };
}
