import { shareSteps } from '../../domain/expression/evaluate-expression.ts';
import { evaluateMapping, parseMapping, type Mapping } from '../../domain/expression/mapping.ts';
import type { EvaluationResult, ExpressionScope } from '../../domain/expression/expression.ts';
import type { JsonValue } from '../../domain/json.ts';
import { parseTemplate, secretsIn, type Template } from '../../domain/tools/template.ts';
import type { ParseContext } from '../../domain/workflow/plan/plan.ts';

/** Text for a model, put together when the node is entered. */
export type Prompt =
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'mapping'; readonly mapping: Mapping };

/**
 * Text with `{{expression}}` in it, a path that starts with `$`, or any other mapping. Null: reported.
 */
export function readPrompt(value: JsonValue, pointer: string, at: ParseContext): Prompt | null {
  const mapping = parseMapping(value);
  if (!mapping.ok) {
    at.problem(pointer + mapping.pointer, mapping.message);
    return null;
  }
  if (typeof value !== 'string' || (value.startsWith('$') && mapping.mapping.kind === 'path')) {
    return { kind: 'mapping', mapping: mapping.mapping };
  }
  const parsed = parseTemplate(value);
  if (!parsed.ok) {
    at.problem(pointer, parsed.message);
    return null;
  }
  if (secretsIn(parsed.template).length > 0) {
    at.problem(pointer, 'secrets do not go into prompts');
    return null;
  }
  return { kind: 'template', template: parsed.template };
}

/** As of other values that are put together. */
const CHARACTERS_MAX = 4 * 1024 * 1024;

export type EvaluatedPrompt =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** Values stand in text as they are when they are text, not at all when null, else as JSON. */
export function evaluatePrompt(prompt: Prompt, scope: ExpressionScope): EvaluatedPrompt {
  if (prompt.kind === 'mapping') return asText(evaluateMapping(prompt.mapping, scope));
  const steps = shareSteps(scope);
  let text = '';
  for (const part of prompt.template) {
    if (part.kind === 'text') text += part.text;
    if (part.kind !== 'value') continue;
    const value = asText(evaluateMapping(part.mapping, scope, steps));
    if (!value.ok) return value;
    text += value.text;
    if (text.length > CHARACTERS_MAX) {
      return { ok: false, message: `a prompt of more than ${CHARACTERS_MAX} characters` };
    }
  }
  return { ok: true, text };
}

export function showInPrompt(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function asText(result: EvaluationResult): EvaluatedPrompt {
  return result.ok ? { ok: true, text: showInPrompt(result.value) } : result;
}
