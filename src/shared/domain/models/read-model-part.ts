import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { parseModels } from '../workflow/parse/parse-parts.ts';
import type { ModelPart } from '../workflow/parse/parts.ts';
import { ProblemList, WarningList } from '../workflow/problem.ts';
import { findBaseUrlProblem } from './base-url.ts';
import { canonicalProvider, findModelNameProblem } from './model-name.ts';

type Report = (pointer: string, message: string) => void;

/**
 * The model that `model_ref` names in the workflow's `models` or as `provider/model`, or that `model`
 * gives as an object, or as its name beside `provider`. Null: what is wrong has been reported.
 */
export function readModelPart(
  fields: JsonObject,
  given: { readonly models: ReadonlyMap<string, ModelPart>; readonly problem: Report },
): ModelPart | null {
  const { problem } = given;
  const { model_ref: ref = null, model = null, provider = null } = fields;
  if (isJsonObject(ref)) return readInline(ref, '/model_ref', problem);
  if (ref !== null) return lookUp(ref, '/model_ref', given);
  if (isJsonObject(model)) return readInline(model, '/model', problem);
  if (provider !== null) return readInline(fields, '', problem);
  if (model !== null) return lookUp(model, '/model', given);
  problem('/model_ref', 'missing model_ref: the name of one of models');
  return null;
}

/** Names of a model as policies write them. */
export function policyNames({ provider, model, baseUrl }: ModelPart): readonly string[] {
  const name = `${canonicalProvider(provider)}/${model}`;
  // At an address of the workflow's author the names say nothing about what is called.
  return baseUrl === null ? [name, model] : [`${new URL(baseUrl).origin}/${name}`];
}

function lookUp(
  ref: JsonValue,
  pointer: string,
  {
    models,
    problem,
  }: { readonly models: ReadonlyMap<string, ModelPart>; readonly problem: Report },
): ModelPart | null {
  const known = typeof ref === 'string' ? models.get(ref) : undefined;
  const named = known === undefined ? readQualifiedName(ref) : null;
  if (named !== null)
    return readInline(named, pointer, (_at, message) => problem(pointer, message));
  if (known === undefined) {
    // An invalid value has already been reported at its place.
    const message = `no model ${JSON.stringify(ref)} that can be called is in models; give the name of one, or provider/model`;
    problem(pointer, message);
    return null;
  }
  return check(known, () => pointer, problem);
}

/** `provider/model`, for a model that needs no entry; the model's own name may hold slashes. */
function readQualifiedName(ref: JsonValue): JsonObject | null {
  const [, provider, model] = typeof ref === 'string' ? (/^([^/]+)\/(.+)$/s.exec(ref) ?? []) : [];
  return provider === undefined || model === undefined ? null : { provider, model };
}

function readInline(fields: JsonObject, pointer: string, problem: Report): ModelPart | null {
  const problems = new ProblemList();
  const findings = { problems, warnings: new WarningList() };
  const models = parseModels({ [INLINE]: fields }, findings, { alone: pointer !== '' });
  for (const found of problems.toArray()) {
    problem(pointer + found.pointer.slice(`/models/${INLINE}`.length), found.message);
  }
  const part = problems.count === 0 ? models.get(INLINE) : undefined;
  return part === undefined ? null : check(part, (field) => `${pointer}/${field}`, problem);
}

const INLINE = 'inline';

function check(
  part: ModelPart,
  pointerOf: (field: string) => string,
  problem: Report,
): ModelPart | null {
  const name = findModelNameProblem(part);
  if (name !== null) problem(pointerOf(name.field), `${name.field} ${name.message}`);
  const url = part.baseUrl === null ? null : findBaseUrlProblem(part.baseUrl);
  if (url !== null) problem(pointerOf('base_url'), `base_url ${url}`);
  return name === null && url === null ? part : null;
}
