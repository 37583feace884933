import { BoundedMap } from '../../domain/bounded-map.ts';
import type { DefinitionId, TenantId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { StandingPause } from '../../domain/workflow/workflow-pause.ts';
import type { DefinitionStore, StoredDefinition } from '../../store/store.ts';

/** A stored revision together with its compiled plan. Both never change. */
export interface CompiledDefinition {
  readonly definition: StoredDefinition;
  readonly plan: Plan;
}

/** The definition that a start would run now. */
export interface Startable extends CompiledDefinition {
  /** The pause of the workflow, which holds a new execution; null: there is none. */
  readonly workflowPause: StandingPause | null;
}

export interface DefinitionCache {
  /** Throws if the revision is not stored: executions never outlive their definition. */
  get(id: DefinitionId): Promise<CompiledDefinition>;
  /** Those of the tenant that this process has used lately. */
  cachedOf(tenantId: TenantId): readonly CompiledDefinition[];
  /** Null: there is no such workflow. */
  latest(of: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<Startable | null>;
}

/** Compiled plans of one process. The least recently used is dropped first. */
export function createDefinitionCache(deps: {
  readonly definitions: Pick<DefinitionStore, 'find' | 'latestId'>;
  readonly compile: (definition: StoredDefinition) => Plan;
  readonly sizeMax?: number;
}): DefinitionCache {
  const cached = new BoundedMap<DefinitionId, CompiledDefinition>(deps.sizeMax ?? 500);
  /** Reads in progress: a new process gets many requests for the same definition at once. */
  const reading = new Map<DefinitionId, Promise<CompiledDefinition>>();

  function keep(compiled: CompiledDefinition): CompiledDefinition {
    cached.set(compiled.definition.definitionId, compiled);
    return compiled;
  }

  function compile(definition: StoredDefinition): CompiledDefinition {
    const known = cached.get(definition.definitionId);
    return keep(known ?? { definition, plan: deps.compile(definition) });
  }

  async function get(id: DefinitionId): Promise<CompiledDefinition> {
    const known = cached.get(id);
    if (known !== undefined) return keep(known);
    const underWay = reading.get(id);
    if (underWay !== undefined) return underWay;
    const begun = read(id).finally(() => reading.delete(id));
    reading.set(id, begun);
    return begun;
  }

  async function read(id: DefinitionId): Promise<CompiledDefinition> {
    const definition = await deps.definitions.find(id);
    if (definition === null) throw new Error(`workflow definition ${id} is not stored`);
    return compile(definition);
  }

  return {
    get,
    cachedOf: (tenantId) =>
      [...cached.values()].filter(({ definition }) => definition.tenantId === tenantId),
    latest: async (of) => {
      const latest = await deps.definitions.latestId(of);
      if (latest === null) return null;
      const { definitionId, workflowPause } = latest;
      return { ...(await get(definitionId)), workflowPause };
    },
  };
}
