import { createA2aAgents } from '../../src/shared/clients/a2a/create-a2a-agents.ts';
import { systemTimers } from '../../src/shared/clients/system-timers.ts';
import type { Config } from '../../src/shared/config/config.ts';
import { createFinalizerRunner } from '../../src/shared/nodes/run-finalizer.ts';
import { createEvalRunner } from '../../src/shared/nodes/run-eval.ts';
import { createA2aTaskRunner } from '../../src/shared/nodes/run-a2a-task.ts';
import { createModelRunner } from '../../src/shared/nodes/run-model.ts';
import { createMcpToolRunner, createToolRunner } from '../../src/shared/nodes/run-tool.ts';
import type { NodeRunner, NodeRunners } from '../../src/shared/nodes/run.ts';
import type { Cpu } from '../../src/shared/ports/cpu.ts';
import type { History } from '../../src/shared/ports/history.ts';
import { bootModels } from './boot-models.ts';
import { bootTools } from './boot-tools.ts';

export interface BootRunners {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cpu: Cpu;
  readonly history: History;
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
  return new Map<string, NodeRunner>([
    ['model', createModelRunner({ client: models, now })],
    ['eval', createEvalRunner({ models, history: params.history })],
    ['tool', toolRunner],
    ['finalizer', createFinalizerRunner(toolRunner)],
    ['mcp_tool', createMcpToolRunner(tools)],
    ['a2a_task', createA2aTaskRunner(delegation)],
  ]);
}
