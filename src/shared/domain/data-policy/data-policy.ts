import { FieldPatterns } from './field-patterns.ts';

/**
 * The values that readers of an execution see. The engine and the workers use the original values:
 * after a crash a workflow could not continue with masked ones.
 */
export interface DataPolicy {
  readonly piiFields: FieldPatterns;
  readonly detectors: readonly Detector[];
  readonly action: PiiAction;
  /** Whether a model node writes its prompt into the log. */
  readonly retainPrompts: boolean;
  /** False: reads leave outputs out. */
  readonly retainOutputs: boolean;
}

/**
 * `mask`: three asterisks, or the detector's name · `hash`: a keyed hash, equal for equal values ·
 * `remove`: gone.
 */
export const PII_ACTIONS = ['mask', 'hash', 'remove'] as const;
export type PiiAction = (typeof PII_ACTIONS)[number];

export const DETECTORS = ['email', 'phone', 'credit_card', 'ssn', 'iban', 'ip_address'] as const;
export type Detector = (typeof DETECTORS)[number];

/** The settings of one level; the next level decides about omitted ones. */
export type PartialDataPolicy = Partial<DataPolicy>;

const DEFAULTS: DataPolicy = {
  piiFields: new FieldPatterns([]),
  detectors: [],
  action: 'mask',
  retainPrompts: false,
  retainOutputs: true,
};

/** The policy for a node's own events; null: neither level has one. */
export function dataPolicyOf(levels: {
  readonly workflow: PartialDataPolicy | null;
  readonly node: PartialDataPolicy | null;
}): DataPolicy | null {
  const { workflow, node } = levels;
  if (workflow === null && node === null) return null;
  return { ...DEFAULTS, ...workflow, ...node };
}

/** The policy for the state, which contains the values of all nodes: the union of all levels. */
export function joinDataPolicies(
  workflow: PartialDataPolicy | null,
  nodes: readonly PartialDataPolicy[],
): DataPolicy | null {
  const all = [...(workflow === null ? [] : [workflow]), ...nodes];
  if (all.length === 0) return null;
  return {
    piiFields: new FieldPatterns(all.flatMap(({ piiFields }) => piiFields?.patterns ?? [])),
    detectors: [...new Set(all.flatMap(({ detectors }) => detectors ?? []))],
    action: all.find(({ action }) => action !== undefined)?.action ?? DEFAULTS.action,
    retainPrompts: workflow?.retainPrompts ?? DEFAULTS.retainPrompts,
    retainOutputs: workflow?.retainOutputs ?? DEFAULTS.retainOutputs,
  };
}
