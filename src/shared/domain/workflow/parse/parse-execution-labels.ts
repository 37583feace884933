import { labelText } from '../../execution/labels/label-execution.ts';
import { LABEL_NAME, LABEL_NAME_RULE, LABELS_MAX } from '../../execution/labels/labels.ts';
import { type Mapping, parseMapping } from '../../expression/mapping.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { LabelMappings } from '../plan/plan.ts';
import { type Findings, pointerTo, type ProblemList } from '../problem.ts';

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

/**
 * Reports values that are no label, with any input: every start would be refused. `parseExecutionLabels`
 * leaves them alone, because it also reads stored definitions.
 */
export function checkConstantLabels(ir: JsonObject, problems: ProblemList): void {
  const raw = ir[FIELD] ?? null;
  if (!isJsonObject(raw)) return;
  for (const [name, value] of Object.entries(raw)) {
    const parsed = parseMapping(value);
    const constant = parsed.ok ? constantIn(parsed.mapping) : undefined;
    const label = constant === undefined ? null : labelText({ ok: true, value: constant });
    if (label !== null && !label.ok) problems.add(pointerTo(FIELD, name), label.message);
  }
}

/** A list or an object stays one, with any input. Undefined: the value depends on the input. */
function constantIn(mapping: Mapping): JsonValue | undefined {
  switch (mapping.kind) {
    case 'literal':
      return mapping.value;
    case 'list':
      return [];
    case 'object':
      return {};
    case 'path':
    case 'expression':
      return undefined;
  }
}
