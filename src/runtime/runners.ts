import { createA2aAgents } from '../shared/clients/a2a/create-a2a-agents.ts';
import { systemTimers } from '../shared/clients/system-timers.ts';
import type { Config } from '../shared/config/config.ts';
import { createFinalizerRunner } from '../shared/nodes/finalizer/run.ts';
import { createEvalRunner } from '../shared/nodes/eval/run.ts';
import { createAgentDirectory } from '../shared/engine/agents/agent-directory.ts';
import { createA2aTaskRunner } from '../shared/nodes/a2a-task/run.ts';
import { createAgentRunner } from '../shared/nodes/agent/run.ts';
import {
  createAgentDiscoveryRunner,
  createCoordinatorRunner,
} from '../shared/nodes/agent-discovery/run.ts';
import { createMemoryRetrievalRunner } from '../shared/nodes/memory-retrieval/run.ts';
import { createModelRunner } from '../shared/nodes/model/run.ts';
import { createMcpToolRunner, createToolRunner } from '../shared/nodes/tool/run.ts';
import type { NodeRunner, NodeRunners } from '../shared/nodes/run.ts';
import type { Cpu } from '../shared/ports/cpu.ts';
import type { History } from '../shared/ports/history.ts';
import type { Recaller } from '../shared/ports/recaller.ts';
import type { AgentStore } from '../shared/store/agents.ts';
import { bootModels } from './models.ts';
import { bootTools } from './tools.ts';

export interface BootRunners {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cpu: Cpu;
  readonly history: History;
  readonly agents: AgentStore;
  readonly memory: Recaller;
  readonly opened: AsyncDisposableStack;
}

/**
 * What runs the nodes of in-engine kinds, by kind type. A runner's own connections and processes are
 * closed with `opened`.
 */
export function bootRunners(params: BootRunners): NodeRunners {
  const models = bootModels(params);
  const now = () => performance.now();
  const tools = bootTools(params);
  const toolRunner = createToolRunner(tools);
  const delegation = {
    a2a: createA2aAgents({
      allowPrivate: params.config.agents.allowPrivateNetworks,
      secrets: tools.secrets,
      now,
    }),
    timers: systemTimers,
  };
  const directory = createAgentDirectory({
    store: params.agents,
    heartbeatTimeoutMs: params.config.agents.heartbeatTimeout * 1000,
  });
  return new Map<string, NodeRunner>([
    ['model', createModelRunner({ client: models, now })],
    ['eval', createEvalRunner({ models, history: params.history })],
    ['tool', toolRunner],
    ['finalizer', createFinalizerRunner(toolRunner)],
    ['mcp_tool', createMcpToolRunner(tools)],
    ['a2a_task', createA2aTaskRunner(delegation)],
    ['agent', createAgentRunner({ ...delegation, directory, models, tools })],
    ['agent_discovery', createAgentDiscoveryRunner({ directory })],
    ['coordinator', createCoordinatorRunner({ directory, models })],
    ['memory_retrieval', createMemoryRetrievalRunner({ memory: params.memory })],
  ]);
}
