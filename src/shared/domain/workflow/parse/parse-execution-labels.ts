import { LABEL_NAME, LABEL_NAME_RULE, LABELS_MAX } from '../../execution/labels/labels.ts';
import { parseMapping } from '../../expression/mapping.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { LabelMappings } from '../plan/plan.ts';
import { type Findings, pointerTo } from '../problem.ts';

const FIELD = 'execution_labels';

/** Empty: there are none, or what is wrong has been reported. */
export function parseExecutionLabels(ir: JsonObject, { problems }: Findings): LabelMappings {
  const raw = ir[FIELD] ?? {};
  if (!isJsonObject(raw)) {
    problems.add(pointerTo(FIELD), 'must be an object of labels by name');
    return [];
  }
  const entries = Object.entries(raw);
  if (entries.length > LABELS_MAX) {
    problems.add(pointerTo(FIELD), `an execution has at most ${LABELS_MAX} labels`);
    return [];
  }
  return entries.flatMap(([name, value]) => {
    const at = pointerTo(FIELD, name);
    if (!LABEL_NAME.test(name)) {
      problems.add(at, LABEL_NAME_RULE);
      return [];
    }
    const parsed = parseMapping(value);
    if (parsed.ok) return [[name, parsed.mapping] as const];
    problems.add(at + parsed.pointer, parsed.message);
    return [];
  });
}
