import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { AgentCard } from './agent-card.ts';
import { skillNames } from './agent-card.ts';

/** The parts of an agent's score, each from 0 to 1. */
export const SCORE_PARTS = ['skills', 'trust', 'cost', 'latency'] as const;
export type ScorePart = (typeof SCORE_PARTS)[number];
export type Weights = Readonly<Record<ScorePart, number>>;

export const DEFAULT_WEIGHTS: Weights = { skills: 0.4, trust: 0.3, cost: 0.15, latency: 0.15 };

export interface AgentCriteria {
  /** All of them are needed, by name or id. */
  readonly required: readonly string[];
  /** The more of them, the better. */
  readonly preferred: readonly string[];
  readonly weights: Weights;
  /** US dollars a call may cost, by the cards; null: any. An agent that tells no cost may be taken. */
  readonly costUsdMax: number | null;
}

export interface Candidate {
  readonly agentId: string;
  readonly card: AgentCard;
}

export interface ScoredAgent extends Candidate {
  /** From 0 to 1, to six places. */
  readonly score: number;
  readonly parts: Readonly<Record<ScorePart, number>>;
}

/**
 * The capable agents, best first; of equal ones the lower id first. A missing value counts as the
 * middle: no agent gains by an omission, and none is excluded for it.
 *
 * Cards say `trust` as a number from 0 to 1, `cost_usd` per call or `cost_class` (free, low, medium,
 * high), and `latency_class` (realtime, fast, standard, slow, batch): at the top, or within
 * `capabilities` or `metadata`.
 */
export function scoreAgents(
  candidates: readonly Candidate[],
  criteria: AgentCriteria,
): readonly ScoredAgent[] {
  return candidates
    .filter(({ card }) => {
      const names = skillNames(card);
      const costUsd = costUsdOf(card);
      const isAffordable =
        criteria.costUsdMax === null || costUsd === null || costUsd <= criteria.costUsdMax;
      return isAffordable && criteria.required.every((skill) => names.includes(skill));
    })
    .map((candidate) => {
      const parts = judgeParts(candidate.card, criteria.preferred);
      return { ...candidate, parts, score: weigh(parts, criteria.weights) };
    })
    .toSorted((left, right) => right.score - left.score || compareIds(left, right));
}

/** The best and those whose scores are so near that the figures don't decide. */
export function findTies(ranked: readonly ScoredAgent[]): readonly ScoredAgent[] {
  const best = ranked[0]?.score ?? 0;
  return ranked.filter(({ score }) => best - score <= TIE_EPSILON);
}

/** The price of a call on the card; null: not given. */
export function costUsdOf(card: AgentCard): number | null {
  const value = readTrait(card, 'cost_usd');
  return typeof value === 'number' && value >= 0 ? value : null;
}

function judgeParts(card: AgentCard, preferred: readonly string[]): ScoredAgent['parts'] {
  const names = skillNames(card);
  const has = preferred.filter((skill) => names.includes(skill)).length;
  const trust = readTrait(card, 'trust');
  const costUsd = costUsdOf(card);
  return {
    skills: preferred.length === 0 ? 1 : round(has / preferred.length),
    trust: typeof trust === 'number' ? round(Math.min(Math.max(trust, 0), 1)) : MIDDLE,
    cost:
      costUsd === null
        ? readClass(card, 'cost_class', COST_CLASSES)
        : // Half at a dollar: falls fast where prices of agents are.
          round(1 / (1 + costUsd)),
    latency: readClass(card, 'latency_class', LATENCY_CLASSES),
  };
}

function weigh(parts: ScoredAgent['parts'], weights: Weights): number {
  let sum = 0;
  let total = 0;
  for (const part of SCORE_PARTS) {
    sum += weights[part] * parts[part];
    total += weights[part];
  }
  return total === 0 ? 0 : round(sum / total);
}

function readClass(
  card: AgentCard,
  key: string,
  classes: Readonly<Record<string, number>>,
): number {
  const value = readTrait(card, key);
  return typeof value === 'string' && Object.hasOwn(classes, value.toLowerCase())
    ? (classes[value.toLowerCase()] ?? MIDDLE)
    : MIDDLE;
}

function readTrait(card: AgentCard, key: string): JsonValue {
  const places: readonly JsonObject[] = [
    card,
    card.capabilities,
    isJsonObject(card['metadata']) ? card['metadata'] : {},
  ];
  return places.map((place) => place[key] ?? null).find((value) => value !== null) ?? null;
}

function compareIds({ agentId: left }: Candidate, { agentId: right }: Candidate): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

const MIDDLE = 0.5;
const TIE_EPSILON = 0.01;
const COST_CLASSES = { free: 1, low: 0.75, medium: 0.5, high: 0.25 };
const LATENCY_CLASSES = { realtime: 1, fast: 0.75, standard: 0.5, slow: 0.25, batch: 0 };
