import { z } from 'zod';

import {
  AGENT_STATUSES,
  AUTH_TYPES,
  AUTONOMIES,
  type AgentCard,
} from '../../../shared/domain/agents/agent-card.ts';
import { isJsonObject, type JsonObject } from '../../../shared/domain/json.ts';
import type { AgentRow } from '../../../shared/store/agents.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { SAYS_SOMETHING, timestamp } from '../../schemas/text.ts';

const schemaOrReference = z.union([anyObject, z.string()]);

const skillShape = z.looseObject({
  name: z.string(),
  description: z.string(),
  input_schema: schemaOrReference,
  output_schema: schemaOrReference,
});

/** The fields of a card that every answer has; those we don't know stand beside them. */
const cardFields = {
  id: z.string(),
  uri: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  capabilities: z.looseObject({
    skills: z.array(skillShape),
    protocols: z.array(z.string()),
    tools_provided: z.array(z.string()),
    tools_consumed: z.array(z.string()),
  }),
  autonomy: z.enum(AUTONOMIES),
  auth: z.looseObject({ type: z.enum(AUTH_TYPES) }),
};

export const cardShape = z.looseObject(cardFields);

export const agentStatus = z.enum(AGENT_STATUSES);

export const agentSummary = z.looseObject({
  ...cardFields,
  status: agentStatus,
  registered_at: timestamp,
  updated_at: timestamp.meta({ description: 'Last change of card or status.' }),
  last_heartbeat: timestamp.nullable(),
  discovered_from: z.string().nullable(),
});

export const agentShape = agentSummary.extend({
  card: cardShape.meta({ description: 'The card alone.' }),
});

export const statusShape = z.object({ agent_id: z.string(), status: agentStatus });

/** Text that says something, as `read-agent-card.ts` asks for it. */
const name = { type: 'string', pattern: SAYS_SOMETHING, maxLength: 512 } as const;
const omittableName = { ...name, type: ['string', 'null'] };
const names = { type: ['array', 'null'], items: name };
const omittableText = { type: ['string', 'null'] };
const schema = { type: ['object', 'string', 'null'] };
/** A skill may be its name alone, and `auth` its type. */
const skill = {
  type: 'object',
  required: ['name'],
  properties: { name, description: omittableText, input_schema: schema, output_schema: schema },
};
const authType = { enum: [...AUTH_TYPES, null], default: 'none' };

/**
 * The fields that a caller sends. Their rules come from the domain, which also applies them to
 * fetched cards.
 */
export const cardBody = z.custom<JsonObject>(isJsonObject, 'must be an object').meta({
  type: 'object',
  required: ['name'],
  properties: {
    id: { ...omittableName, description: 'Default: a new UUID.' },
    uri: {
      ...omittableName,
      maxLength: 2048,
      description: 'Address of the agent, without credentials.',
    },
    name,
    description: omittableText,
    version: { ...omittableName, default: '1.0.0' },
    capabilities: {
      type: ['object', 'null'],
      properties: {
        skills: {
          type: ['array', 'null'],
          items: { anyOf: [skill, name] },
        },
        protocols: names,
        tools_provided: names,
        tools_consumed: names,
      },
    },
    autonomy: { enum: [...AUTONOMIES, null], default: 'guided' },
    auth: {
      anyOf: [
        { type: ['object', 'null'], properties: { type: authType } },
        { enum: [...AUTH_TYPES] },
      ],
    },
  },
  additionalProperties: true,
});

export function shapeSummary(row: AgentRow): z.input<typeof agentSummary> {
  return { ...shapeCard(row), ...shapeRecord(row) };
}

export function shapeAgent(row: AgentRow): z.input<typeof agentShape> {
  return { ...shapeSummary(row), card: shapeCard(row) };
}

function shapeCard({ agentId, card }: AgentRow): z.input<typeof cardShape> {
  return { id: agentId, ...shapeCardFields(card) };
}

/** A card without the id, which the agent has. */
export function shapeCardFields(card: AgentCard) {
  const { capabilities } = card;
  return {
    ...card,
    capabilities: {
      ...capabilities,
      skills: [...capabilities.skills],
      protocols: [...capabilities.protocols],
      tools_provided: [...capabilities.tools_provided],
      tools_consumed: [...capabilities.tools_consumed],
    },
  };
}

/** The service's own fields of an agent override those of its card. */
function shapeRecord(row: AgentRow) {
  return {
    status: row.status,
    registered_at: row.registeredAt,
    updated_at: row.updatedAt,
    last_heartbeat: row.lastHeartbeat,
    discovered_from: row.discoveredFrom,
  };
}
