import { isJsonObject, type JsonObject } from '../json.ts';
import { parseParts } from '../workflow/parse-parts.ts';
import type { ModelPart } from '../workflow/parts.ts';
import { ProblemList } from '../workflow/problem.ts';

/**
 * The model of an `llm_judge`: `model_ref`, the name of one in `models`, or `model`, such a name or
 * one as an object. Null: what is wrong has been reported.
 */
export function readJudgeModel(
  fields: JsonObject,
  given: {
    readonly models: ReadonlyMap<string, ModelPart>;
    /** Pointers go on from the scorer. */
    readonly problem: (pointer: string, message: string) => void;
  },
): ModelPart | null {
  const { models, problem } = given;
  const [key, value] =
    'model_ref' in fields ? ['model_ref', fields['model_ref']] : ['model', fields['model']];
  const at = `/${key}`;
  if (isJsonObject(value))
    return readInline(value, (below, message) => problem(at + below, message));
  if (typeof value !== 'string' || value === '') {
    problem(at, 'missing model_ref: the name of one of models');
    return null;
  }
  const known = models.get(value);
  if (known === undefined) problem(at, `there is no model "${value}" in models`);
  return known ?? null;
}

const INLINE = 'inline';

function readInline(
  fields: JsonObject,
  problem: (pointer: string, message: string) => void,
): ModelPart | null {
  const problems = new ProblemList();
  const findings = { problems, warnings: new ProblemList() };
  const { models } = parseParts({ models: { [INLINE]: fields } }, findings);
  for (const found of problems.toArray()) {
    problem(found.pointer.slice(`/models/${INLINE}`.length), found.message);
  }
  return problems.count === 0 ? (models.get(INLINE) ?? null) : null;
}
