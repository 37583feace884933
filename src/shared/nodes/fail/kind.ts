import { evaluateMapping, type Mapping } from '../../domain/expression/mapping.ts';
import { shareSteps } from '../../domain/expression/evaluate-expression.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ParseContext } from '../../domain/workflow/plan/plan.ts';
import { ref } from '../../domain/workflow/schema/fields.ts';
import { failExpression, failValue } from '../fail-entry.ts';
import { readMapping } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface FailSpec {
  readonly message: Mapping;
  readonly errorClass: Mapping;
}

const DEFAULT_CLASS: Mapping = { kind: 'literal', value: 'error' };

/** Ends the execution as failed, with an error and an error class that the author chooses. */
export const failKind: RunnableKind<FailSpec> = {
  type: 'fail',
  aliases: [],
  fields: {
    message: ref('Mapping', 'The error of the execution: text, or a mapping that gives text.'),
    class: ref('Mapping', 'The error class, alike. Default `error`.'),
  },
  leaf: false,
  toolLike: false,

  parse(fields, at) {
    const message = readTextMapping(fields, 'message', at);
    const errorClass = readTextMapping(fields, 'class', at) ?? DEFAULT_CLASS;
    if (message === null && (fields['message'] ?? null) === null) {
      at.problem('/message', 'missing message');
    }
    return message === null ? null : { message, errorClass };
  },

  enter({ message, errorClass }, { scope }) {
    const steps = shareSteps(scope);
    const error = evaluateMapping(message, scope, steps);
    if (!error.ok) return failExpression(error.message);
    const name = evaluateMapping(errorClass, scope, steps);
    if (!name.ok) return failExpression(name.message);
    if (!isText(error.value)) return failValue('message must be text that is not empty');
    if (!isText(name.value)) return failValue('class must be text that is not empty');
    return { do: 'end', error: error.value, errorClass: name.value };
  },
};

/** Null: left out, or reported. */
function readTextMapping(fields: JsonObject, name: string, at: ParseContext): Mapping | null {
  const mapping = readMapping(fields, name, at);
  if (mapping === null) return null;
  const isConstant = mapping.kind === 'literal';
  const givesText = isConstant
    ? isText(mapping.value)
    : mapping.kind !== 'list' && mapping.kind !== 'object';
  if (givesText) return mapping;
  at.problem(`/${name}`, 'must be text that is not empty, a path, or {"expr": "…"}');
  return null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
