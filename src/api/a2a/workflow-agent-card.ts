import type { ExposedWorkflow } from '../../shared/store/store.ts';
import type { AgentWorkflow } from './find-exposed.ts';

export const A2A_PATH = '/a2a/:workflow_id';

/** The versions of the protocol that are spoken, the one we would rather speak first. */
export const A2A_VERSIONS = ['1.0', '0.3'] as const;

export const CARD_SUFFIX = '/.well-known/agent-card.json';

/** Clients that cache cards see a newly registered version after this time at the latest. */
export const CARD_FRESH_SECONDS = 60;

interface AgentFacts {
  readonly workflow: AgentWorkflow;
  readonly publicUrl: string;
  /** Whether calls need a token. */
  readonly protected: boolean;
}

/** The Agent Card, in A2A 1.0, of a workflow that is exposed as an agent. */
export function describeWorkflowAgent(facts: AgentFacts) {
  const { workflow, publicUrl } = facts;
  const url = agentUrl(publicUrl, workflow.workflowId);
  const { inputModes, outputModes } = workflow;
  const skill = { ...describeSkill(workflow), inputModes, outputModes };
  return {
    name: skill.name,
    description: skill.description,
    version: workflow.version,
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({
      url,
      protocolBinding: BINDING,
      protocolVersion,
    })),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    ...(facts.protected && {
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    }),
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: [skill],
  };
}

/**
 * The same for clients of 0.3, with the list of interfaces of 1.0 beside it, by which later clients
 * that did not say so find their own.
 */
export function describeWorkflowAgentFor03(facts: AgentFacts) {
  const { securityRequirements: _, securitySchemes: __, ...card } = describeWorkflowAgent(facts);
  return {
    ...card,
    url: agentUrl(facts.publicUrl, facts.workflow.workflowId),
    preferredTransport: BINDING,
    protocolVersion: '0.3.0',
    capabilities: { streaming: true, pushNotifications: false },
    ...(facts.protected && {
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer' } },
      security: [{ bearer: [] }],
    }),
  };
}

/** A workflow as a skill: its agent has this one, and the runtime one for each such workflow. */
export function describeSkill(workflow: ExposedWorkflow) {
  const { workflowId, description } = workflow;
  const name = workflow.name === null || workflow.name === '' ? workflowId : workflow.name;
  return {
    id: workflowId,
    name,
    description:
      description === null || description === '' ? `Runs the workflow ${name}.` : description,
    tags: ['workflow'],
  };
}

export function agentUrl(publicUrl: string, workflowId: string): string {
  return `${publicUrl}${A2A_PATH.replace(':workflow_id', () => encodeURIComponent(workflowId))}`;
}

const BINDING = 'JSONRPC';
