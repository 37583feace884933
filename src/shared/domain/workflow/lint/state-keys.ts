import { isJsonObject } from '../../json.ts';
import type { Mapping } from '../../expression/mapping.ts';
import type { Plan, WrittenKeys } from '../plan/plan.ts';

/** The keys that the nodes of a workflow write into its state. */
export function stateKeys(plan: Plan): {
  readonly written: ReadonlySet<string>;
  /** Whether other keys may be written too. */
  readonly isOpen: boolean;
} {
  const written = new Set<string>();
  let isOpen = false;
  for (const { kind, spec, outputKey, bodyOf } of plan.nodes.values()) {
    if (outputKey !== null) written.add(outputKey);
    const keys = kind.writes?.(spec, { hasOutputKey: outputKey !== null || bodyOf !== null }) ?? [];
    if (keys === 'any') isOpen = true;
    else for (const key of keys) written.add(key);
  }
  return { written, isOpen };
}

/** The keys of an object that a mapping gives. */
export function keysOfMapping(mapping: Mapping): WrittenKeys {
  switch (mapping.kind) {
    case 'object':
      return mapping.entries.map(([key]) => key);
    case 'literal':
      return isJsonObject(mapping.value) ? Object.keys(mapping.value) : [];
    case 'list':
      return [];
    case 'path':
    case 'expression':
      return 'any';
  }
}
