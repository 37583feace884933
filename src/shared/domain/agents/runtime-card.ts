import type { JsonObject } from '../json.ts';
import type { AgentCard } from './agent-card.ts';
import { didOf } from './did-document.ts';

export interface RuntimeFacts {
  readonly publicUrl: string;
  readonly version: string;
  /** Whether calls need a token. */
  readonly protected: boolean;
  /** The workflows that are agents of their own. */
  readonly exposed: readonly ExposedSkill[];
}

/** A workflow as a skill of the runtime; `url` is where its own agent is. */
export interface ExposedSkill extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
}

/** The card by which other runtimes discover this one. Its id is the runtime's DID. */
export function describeRuntime(facts: RuntimeFacts): AgentCard & { readonly id: string } {
  return {
    id: didOf(facts.publicUrl),
    uri: facts.publicUrl,
    name: NAME,
    description: DESCRIPTION,
    version: facts.version,
    capabilities: {
      skills: [
        {
          name: SKILL.name,
          description: SKILL.description,
          input_schema: {
            type: 'object',
            properties: {
              workflow_id: { type: 'string' },
              workflow_version: { type: 'string' },
              input: { type: 'object' },
            },
            required: ['workflow_id', 'input'],
          },
          output_schema: { type: 'object', properties: { execution_id: { type: 'string' } } },
        },
        ...facts.exposed.map((skill) => ({ ...skill, input_schema: {}, output_schema: {} })),
      ],
      protocols: [],
      tools_provided: [],
      tools_consumed: [],
    },
    autonomy: 'deterministic',
    auth: { type: facts.protected ? 'bearer_token' : 'none' },
  };
}

/**
 * The same as a card of A2A 1.0. The runtime as a whole speaks none of the protocol's own bindings,
 * and does not claim to: its one interface is a custom binding (A2A 1.0, "Custom Protocol Bindings"),
 * named by the document that describes it. The workflows that are exposed do, each as an agent with
 * a card of its own.
 */
export function describeRuntimeForA2a(facts: RuntimeFacts) {
  const { publicUrl, version } = facts;
  return {
    name: NAME,
    description: DESCRIPTION,
    version,
    supportedInterfaces: [
      {
        url: publicUrl,
        protocolBinding: `${publicUrl}/openapi.json`,
        protocolVersion: A2A_VERSION,
      },
    ],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    ...(facts.protected && {
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    }),
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [
      { ...SKILL, inputModes: ['application/json'], outputModes: ['application/json'] },
      ...facts.exposed,
    ],
  };
}

const A2A_VERSION = '1.0';
const NAME = 'svc';
const DESCRIPTION = 'Runs registered workflows durably.';
const SKILL = {
  id: 'execute-workflow',
  name: 'execute-workflow',
  description: 'Starts an execution of a registered workflow and runs it to its end.',
  tags: ['workflow', 'durable-execution'],
};
