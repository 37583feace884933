import type { KindRegistry } from '../domain/workflow/kind-registry.ts';
import {
  workflowDefinitions,
  type Definitions,
} from '../domain/workflow/schema/workflow-schema.ts';
import { a2aTaskKind } from './a2a-task/kind.ts';
import { agentDiscoveryKind, coordinatorKind } from './agent-discovery/kind.ts';
import { agentKind } from './agent/kind.ts';
import { conditionKind } from './condition/kind.ts';
import { evalKind } from './eval/kind.ts';
import { functionKind } from './function/kind.ts';
import { humanApprovalKind } from './human-approval/kind.ts';
import { javaFnKind } from './java-fn/kind.ts';
import { joinKind } from './join/kind.ts';
import { limitExceededKind } from './limit-exceeded/kind.ts';
import { mapKind } from './map/kind.ts';
import { mcpToolKind } from './mcp-tool/kind.ts';
import { memoryRetrievalKind } from './memory-retrieval/kind.ts';
import { modelKind } from './model/kind.ts';
import { parallelKind } from './parallel/kind.ts';
import { passKind } from './pass/kind.ts';
import { subgraphKind } from './subgraph/kind.ts';
import { pythonFnKind } from './python-fn/kind.ts';
import { toolKind } from './tool/kind.ts';
import { waitKind } from './wait/kind.ts';
import { failKind } from './fail/kind.ts';
import { finalizerKind } from './finalizer/kind.ts';
import { policyKind } from './policy/kind.ts';
import type { RunnableKind } from './runnable-kind.ts';

/** The built-in kinds of node. */
export const NODE_KINDS: readonly RunnableKind<unknown>[] = [
  passKind,
  pythonFnKind,
  javaFnKind,
  functionKind,
  conditionKind,
  parallelKind,
  mapKind,
  joinKind,
  waitKind,
  humanApprovalKind,
  subgraphKind,
  limitExceededKind,
  failKind,
  evalKind,
  policyKind,
  finalizerKind,
  toolKind,
  mcpToolKind,
  modelKind,
  a2aTaskKind,
  agentKind,
  agentDiscoveryKind,
  coordinatorKind,
  memoryRetrievalKind,
];

/** A registry of built-in and other kinds: it only parses and enters, so it needs no ports. */
export function createKindRegistry(kinds: readonly RunnableKind<unknown, never>[]): KindRegistry {
  const byName = new Map(
    kinds.flatMap((kind) => [kind.type, ...kind.aliases].map((name) => [name, kind] as const)),
  );
  let definitions: Definitions | null = null;
  return {
    all: kinds,
    lookUp: (type) => byName.get(type) ?? null,
    definitions: () => (definitions ??= workflowDefinitions(kinds)),
  };
}

export const builtInKinds: KindRegistry = createKindRegistry(NODE_KINDS);
