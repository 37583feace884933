import type { EvaluationResult } from '../../expression/expression.ts';
import { shareSteps } from '../../expression/evaluate-expression.ts';
import { evaluateMapping } from '../../expression/mapping.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { LabelMappings } from '../../workflow/plan/plan.ts';
import { LABEL_LENGTH_MAX, type Labels, LABELS_MAX, NO_LABELS } from './labels.ts';

export type Labelled =
  | { readonly ok: true; readonly labels: Labels }
  /** The message quotes the definition and never holds data. */
  | { readonly ok: false; readonly message: string };

const NONE: Labelled = { ok: true, labels: NO_LABELS };

/** The labels that a definition gives an execution with this input. Null gives no label. */
export function labelExecution(mappings: LabelMappings, input: JsonObject): Labelled {
  if (mappings.length === 0) return NONE;
  const scope = { state: input, input, output: null, execution: {} };
  const steps = shareSteps({});
  const labels: [string, string][] = [];
  for (const [name, mapping] of mappings) {
    const value = labelText(evaluateMapping(mapping, scope, steps));
    if (value === null) continue;
    if (!value.ok) return { ok: false, message: `label ${name}: ${value.message}` };
    labels.push([name, value.text]);
  }
  return { ok: true, labels: Object.fromEntries(labels) };
}

/** Null: there is no such label. */
export function labelText(
  result: EvaluationResult,
):
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string }
  | null {
  if (!result.ok) return result;
  const { value } = result;
  if (value === null || value === '') return null;
  if (typeof value === 'object')
    return { ok: false, message: 'must be text, a number or a boolean' };
  const text = String(value satisfies Exclude<JsonValue, null | object>);
  if (text.length <= LABEL_LENGTH_MAX && !text.includes('\0')) return { ok: true, text };
  return { ok: false, message: `must be at most ${LABEL_LENGTH_MAX} characters, without U+0000` };
}

/** Own labels replace inherited ones, which give way where they are too many together. */
export function inheritLabels(inherited: Labels, own: Labels): Labels {
  const others = Object.entries(inherited).filter(([name]) => !Object.hasOwn(own, name));
  const room = Math.max(0, LABELS_MAX - Object.keys(own).length);
  return { ...Object.fromEntries(others.slice(0, room)), ...own };
}
