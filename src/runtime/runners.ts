import { createA2aAgents } from '../shared/clients/a2a/create-a2a-agents.ts';
import { systemDelays } from '../shared/clients/system-delays.ts';
import type { Config } from '../shared/config/config.ts';
import { createAgentDirectory } from '../shared/engine/agents/agent-directory.ts';
import { createRunners } from '../shared/nodes/create-runners.ts';
import { NODE_KINDS } from '../shared/nodes/index.ts';
import type { EnginePorts, OutsidePorts } from '../shared/nodes/ports.ts';
import type { NodeRunners } from '../shared/nodes/run.ts';
import type { RunnableKind } from '../shared/nodes/runnable-kind.ts';
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
  /** Kinds of nodes beside the built-in ones. */
  readonly kinds: readonly RunnableKind<unknown>[];
}

/**
 * The runners of all kinds, by type. The connections and processes of a runner end with
 * `opened`.
 */
export function bootRunners(params: BootRunners): (ports: EnginePorts) => NodeRunners {
  const outside = bootPorts(params);
  return (ports) => createRunners([...NODE_KINDS, ...params.kinds], { ...outside, ...ports });
}

function bootPorts(params: BootRunners): OutsidePorts {
  const now = () => performance.now();
  const models = bootModels(params);
  const tools = bootTools(params);
  return {
    models,
    tools,
    a2a: createA2aAgents({
      allowPrivate: params.config.agents.allowPrivateNetworks,
      secrets: tools.secrets,
      now,
    }),
    directory: createAgentDirectory({
      store: params.agents,
      heartbeatTimeoutMs: params.config.agents.heartbeatTimeout * 1000,
    }),
    history: params.history,
    memory: params.memory,
    delays: systemDelays,
    now,
  };
}
