import { z } from 'zod';

import { buildDidDocument } from '../../../shared/domain/agents/did-document.ts';
import { listActiveAgents } from '../../../shared/engine/agents/list-active-agents.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { FOR_EVERYONE } from './for-everyone.ts';

export const getDid = defineEndpoint({
  name: 'get-did',
  method: 'GET',
  path: '/.well-known/did.json',
  access: 'open',
  summary: 'Gives the DID document of the runtime',
  note:
    'W3C DID Core 1.0, method `did:web`, named by `runtime.public_url`. It has one service ' +
    'for each active agent of the tenant `default`, and none of other tenants.',
  replies: {
    200: z.object({
      '@context': z.array(z.string()),
      id: z.string().meta({ description: '`did:web:<host>%3A<port>`' }),
      service: z.array(z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.string() })),
    }),
  },
  async handle({ caller }, { agents, publicUrl }) {
    const active = await listActiveAgents(agents, caller);
    const document = buildDidDocument({ publicUrl: publicUrl(), agents: active });
    return { status: 200, headers: FOR_EVERYONE, body: document };
  },
});
