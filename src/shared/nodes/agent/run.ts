import { credentialsOf } from '../../domain/agents/agent-credentials.ts';
import { costUsdOf } from '../../domain/agents/score-agents.ts';
import type { A2aTarget } from '../../ports/a2a.ts';
import type { KnownAgent } from '../../ports/agent-directory.ts';
import type { AgentSpec } from './spec.ts';
import { callTool } from '../tool/call-tool.ts';
import type { ToolDeps } from '../tool/tool-call.ts';
import { chooseAgent, type ChoosingDeps } from './choose-agent.ts';
import { delegateTask, type DelegationDeps } from '../delegation/delegate-task.ts';
import type { NodeCall, NodeOutcome, NodeRunner, Usage } from '../run.ts';

export interface AgentDeps extends ChoosingDeps, DelegationDeps {
  readonly tools: ToolDeps;
}

type Failure = Extract<NodeOutcome, { readonly ok: false }>;

/** The agent to call: a registered one, or an unknown one at an address. */
interface Callee {
  /** Policies and events know it by this. */
  readonly name: string;
  readonly uri: string | null;
  readonly agent: KnownAgent | null;
  readonly usage?: Usage;
}

/** Calls the agent that the node names or that is picked for it, if the policy lets it be called. */
export function createAgentRunner(deps: AgentDeps): NodeRunner<AgentSpec> {
  return {
    async run(call) {
      const found = await findCallee(deps, call);
      if ('ok' in found) return found;
      const { name: tool, usage } = found;
      const outcome = judge(call, found) ?? (await callAgent(deps, call, found));
      const used = usage === undefined ? {} : { usage };
      return outcome.ok === true ? { ...outcome, tool, ...used } : { ...outcome, ...used };
    },
  };
}

async function findCallee(deps: AgentDeps, call: NodeCall<AgentSpec>): Promise<Callee | Failure> {
  const { choice, criteria } = call.spec;
  const { tenantId } = call;
  switch (choice.by) {
    case 'auto': {
      const chosen = await chooseAgent(deps, { call, criteria });
      if (!chosen.ok) return chosen.failure;
      const { agent, usage } = chosen;
      return { ...calleeOf(agent), ...(usage !== undefined && { usage }) };
    }
    case 'ref': {
      const agentId = call.payload['agent_ref'] as string;
      const agent = await deps.directory.find({ tenantId, agentId });
      if (agent === null) return refuse(`there is no agent ${agentId}`, 'no_agent');
      return agent.status === 'active'
        ? calleeOf(agent)
        : { ok: false, error: `the agent ${agentId} is ${agent.status}`, errorClass: 'no_agent' };
    }
    case 'uri': {
      const { uri } = choice;
      const active = await deps.directory.listActive({ tenantId });
      const agent = active.find(({ card }) => card.uri === uri);
      return agent === undefined ? { name: uri, uri, agent: null } : calleeOf(agent);
    }
  }
}

function calleeOf(agent: KnownAgent): Callee {
  return { name: agent.agentId, uri: agent.card.uri, agent };
}

/** Null: it may be called. */
function judge(call: NodeCall<AgentSpec>, { name, agent }: Callee): NodeOutcome | null {
  const { criteria } = call.spec;
  const costUsd = agent === null ? null : costUsdOf(agent.card);
  if (criteria.costUsdMax !== null && costUsd !== null && costUsd > criteria.costUsdMax) {
    return refuse(`the agent ${name} costs more than the node's budget`, 'budget_exceeded');
  }
  const judged = call.policy.judgeTool(name);
  if (judged.is === 'blocked') {
    return refuse(`the policy blocks the agent ${name}`, 'policy_violation');
  }
  const shown = { agent_id: name, input: call.input };
  if (judged.is === 'allowed' || call.isApproved(shown)) return null;
  return { ok: 'parked', until: { approval: { description: `call the agent ${name}`, shown } } };
}

function callAgent(
  deps: AgentDeps,
  call: NodeCall<AgentSpec>,
  callee: Callee,
): Promise<NodeOutcome> {
  const { skill, stream, onInputRequired } = call.spec;
  const { name, uri, agent } = callee;
  const protocols = agent?.card.capabilities.protocols ?? [];
  if (uri === null || !/^https?:/i.test(uri)) {
    return Promise.resolve(
      refuse(`the agent ${name} has no address over HTTP in its card`, 'unsupported'),
    );
  }
  if (protocols.length === 0 || protocols.includes('a2a')) {
    const target = targetOf(call, callee, uri);
    return delegateTask(deps, { call, target, skill, stream, onInputRequired });
  }
  if (protocols.includes('mcp') && agent !== null)
    return callMcpAgent(deps, call, { agent, url: uri });
  const known = protocols.join(', ');
  return Promise.resolve(
    refuse(`the agent ${name} speaks ${known}; svc supports a2a and mcp`, 'unsupported'),
  );
}

function targetOf(call: NodeCall<AgentSpec>, { name, agent }: Callee, url: string): A2aTarget {
  const { tenantId } = call;
  const target = { tenantId, name, url, cardPath: null, card: null, auth: null };
  if (agent === null) return target;
  const { card } = agent;
  const isWhole =
    Array.isArray(card['supportedInterfaces']) ||
    (typeof card['url'] === 'string' && typeof card['protocolVersion'] === 'string');
  // A card of our own fields says too little: then the agent tells the rest itself.
  return {
    ...target,
    auth: agent.isDiscovered ? null : credentialsOf(card),
    card: isWhole ? card : null,
  };
}

/** An agent that is an MCP server: its skill is a tool. */
async function callMcpAgent(
  { tools, delays }: AgentDeps,
  call: NodeCall<AgentSpec>,
  { agent, url }: { readonly agent: KnownAgent; readonly url: string },
): Promise<NodeOutcome> {
  const { agentId, card, isDiscovered } = agent;
  const { skill } = call.spec;
  const [only, ...others] = card.capabilities.tools_provided;
  const tool = skill ?? (others.length === 0 ? only : undefined);
  if (tool === undefined) {
    return refuse(`say as skill which tool of the agent ${agentId} is meant`, 'invalid_input');
  }
  const transport = 'streamable_http' as const;
  const auth = isDiscovered ? null : credentialsOf(card);
  const part = { name: agentId, transport, url, command: null, args: [], auth };
  const target = { kind: 'mcp', server: agentId, tool, part } as const;
  const callable = { name: agentId, target, inputSchema: null, outputSchemas: [] };
  const limitMs = call.payload['timeout_ms'];
  if (typeof limitMs !== 'number') return callTool(tools, callable, call);
  const limit = delays.timeout(limitMs);
  const signal = AbortSignal.any([call.signal, limit]);
  const outcome = await callTool(tools, callable, { ...call, signal });
  if (outcome.ok || !limit.aborted) return outcome;
  const error = `the agent ${agentId} did not answer in time`;
  return { ok: false, error, errorClass: 'timeout' };
}

function refuse(error: string, errorClass: string): Failure {
  return { ok: false, error, errorClass, final: true };
}
