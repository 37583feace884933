import {
  DEFAULT_WEIGHTS,
  SCORE_PARTS,
  type AgentCriteria,
  type Weights,
} from '../../domain/agents/score-agents.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import { policyNames, readModelPart } from '../../domain/models/read-model-part.ts';
import type { ModelPart } from '../../domain/workflow/parse/parts.ts';
import type { ParseContext } from '../../domain/workflow/plan/plan.ts';
import { modelFields } from '../../domain/workflow/schema/part-fields.ts';
import {
  anyOf,
  number,
  object,
  text,
  word,
  type FieldSchema,
  type FieldSchemas,
} from '../../domain/workflow/schema/fields.ts';
import { readText, readWord } from '../read-fields.ts';

/** The wanted agent, and the tiebreaker between equals. */
export interface Criteria extends AgentCriteria {
  /** Asked when scores are nearly equal; null: the lower id is taken. */
  readonly tiebreaker: ModelPart | null;
}

const TIEBREAKERS = ['model', 'agent_id'] as const;

export const CRITERIA_FIELDS: FieldSchemas = {
  skill: text('The skill that is meant.'),
  required_skills: skills('An agent without one of them is no candidate.'),
  preferred_skills: skills('The more of them an agent has, the better.'),
  weights: anyOf('The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15.', [
    object(
      'Weights.',
      Object.fromEntries(
        SCORE_PARTS.map((part) => [
          part,
          { description: `Weight of ${part}.`, type: 'number', minimum: 0, maximum: 1000 },
        ]),
      ),
    ),
  ]),
  tiebreaker: word('Tiebreaker between equals. Default `agent_id`.', TIEBREAKERS),
  model_ref: modelFields()['model_ref'] ?? {},
  budget: anyOf('US dollars that a call may cost.', [
    { type: 'number', minimum: 0 },
    object('The same.', { max_cost_usd: number('US dollars.', { minimum: 0 }) }),
  ]),
};

/** Null: reported. */
export function readCriteria(fields: JsonObject, at: ParseContext): Criteria | null {
  const skill = readText(fields, 'skill', at);
  const required = readNames(fields, 'required_skills', at);
  const preferred = readNames(fields, 'preferred_skills', at);
  const weights = readWeights(fields, at);
  const tiebreaker = readTiebreaker(fields, at);
  const costUsdMax = readBudget(fields, at);
  const isRead =
    required !== null && preferred !== null && weights !== null && costUsdMax !== undefined;
  if (!isRead || tiebreaker === undefined) return null;
  const all = new Set([...(skill === null ? [] : [skill]), ...required]);
  return { required: [...all], preferred, weights, tiebreaker, costUsdMax };
}

/** As policies may write the model that decides between equals. */
export function modelOfCriteria({ tiebreaker }: Pick<Criteria, 'tiebreaker'>): readonly string[] {
  return tiebreaker === null ? [] : policyNames(tiebreaker);
}

function readNames(fields: JsonObject, name: string, at: ParseContext): readonly string[] | null {
  const value = fields[name] ?? [];
  const list = typeof value === 'string' ? [value] : value;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string' && item !== '')) {
    return list as readonly string[];
  }
  at.problem(`/${name}`, 'must be a list of names of skills');
  return null;
}

/** A given weight replaces its default; the others keep theirs. */
function readWeights(fields: JsonObject, at: ParseContext): Weights | null {
  const value = fields['weights'] ?? {};
  if (!isJsonObject(value)) {
    at.problem('/weights', `must be an object of numbers by ${SCORE_PARTS.join(', ')}`);
    return null;
  }
  let isRead = true;
  for (const [key, weight] of Object.entries(value)) {
    const isKnown = SCORE_PARTS.some((part) => part === key);
    if (isKnown && typeof weight === 'number' && weight >= 0 && weight <= 1000) continue;
    isRead = false;
    const what = isKnown ? 'must be a number from 0 to 1000' : 'is no part of a score';
    at.problem(`/weights/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, what);
  }
  if (!isRead) return null;
  const weights = { ...DEFAULT_WEIGHTS, ...value } as Weights;
  if (SCORE_PARTS.some((part) => weights[part] > 0)) return weights;
  at.problem('/weights', 'one of them must be above 0');
  return null;
}

/** `undefined`: reported. */
function readTiebreaker(fields: JsonObject, at: ParseContext): ModelPart | null | undefined {
  const before = fields['tiebreaker'] ?? null;
  const word = readWord(fields, { name: 'tiebreaker', words: TIEBREAKERS }, at);
  if (before !== null && word === null) return undefined;
  if (word !== 'model') return null;
  const { models } = at.parts;
  const [only] = models.keys();
  const ref = fields['model_ref'] ?? (models.size === 1 ? only : undefined) ?? null;
  const problem = (pointer: string, message: string) => at.problem(pointer, message);
  return readModelPart({ model_ref: ref }, { models, problem }) ?? undefined;
}

/** US dollars a call may cost; null: any; `undefined`: reported. */
function readBudget(fields: JsonObject, at: ParseContext): number | null | undefined {
  const value = fields['budget'] ?? null;
  const amount = isJsonObject(value) ? (value['max_cost_usd'] ?? null) : value;
  if (amount === null) return null;
  if (typeof amount === 'number' && amount >= 0) return amount;
  at.problem('/budget', 'must be US dollars, as a number or as {"max_cost_usd": …}');
  return undefined;
}

function skills(description: string): FieldSchema {
  return anyOf(description, [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 } },
  ]);
}
