import { parseScorers } from '../../domain/eval/parse-scorers.ts';
import { scoreSubject } from '../../domain/eval/score-subject.ts';
import type { Scorer } from '../../domain/eval/scorer.ts';
import { evaluateExpression } from '../../domain/expression/evaluate-expression.ts';
import type { Expression } from '../../domain/expression/expression.ts';
import type { JsonObject } from '../../domain/json.ts';
import { policyNames } from '../../domain/models/read-model-part.ts';
import { type NodePlace, type ParseContext } from '../../domain/workflow/plan/plan.ts';
import {
  anyOf,
  anything,
  list,
  object,
  ref,
  wholeNumber,
} from '../../domain/workflow/schema/fields.ts';
import { BRANCH_TARGET } from '../../domain/workflow/schema/part-fields.ts';
import { coordinates } from '../enter-work.ts';
import { failExpression } from '../fail-entry.ts';
import { readExpression } from '../read-fields.ts';
import { readOnFail } from '../read-on-fail.ts';
import { concludeEval } from './conclude-eval.ts';
import { judgesOf } from './judges-of.ts';
import { createEvalRunner } from './run.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import type { EvalSpec } from './spec.ts';

/**
 * Scores an output. Checks alone are judged at once; a model, a duration or a cost is asked for by
 * `eval/run.ts`. An output that does not pass may send the execution back to the node that made it:
 * a loop along an edge of this kind's own, counted by its visits.
 */
export const evalKind: RunnableKind<EvalSpec> = {
  type: 'eval',
  aliases: [],
  fields: {
    scorers: list('The scorers that judge it.', { $ref: '#/$defs/Scorer' }),
    on_fail: anyOf('The consequence when it does not pass. Default `fail`.', [
      { enum: ['fail', 'warn', 'retry'] },
      object('One of them.', {
        fail: anything('The node fails.'),
        warn: anything('The node completes.'),
        retry: anyOf('Back to a node.', [
          { $ref: '#/$defs/NodeId' },
          object('Back to a node.', { target: ref('NodeId', 'Default: the node before.') }),
        ]),
        branch: BRANCH_TARGET,
      }),
    ]),
    max_retries: wholeNumber('How often `retry` goes back. Default 3.', {
      minimum: 0,
      maximum: 1000,
    }),
    input_expr: ref('Expression', 'The value to judge. Default: the output of the previous node.'),
  },
  leaf: false,
  toolLike: false,
  countsVisits: true,

  parse(fields, at) {
    const scorers = parseScorers(fields['scorers'] ?? null, {
      problem: (pointer, message) => at.problem(`/scorers${pointer}`, message),
      variables: [],
      models: at.parts.models,
    });
    const onFail = readOnFail(fields, at);
    const input = readInput(fields, at);
    if (scorers === null || onFail === null || input === undefined) return null;
    return { scorers, onFail, input };
  },

  edges({ onFail }) {
    return 'target' in onFail ? [{ ...onFail.target, on: 'choice' }] : [];
  },

  checkPlace({ scorers, onFail }, place) {
    const problems = scorers.flatMap(({ type }, index) => {
      const message = findUnknown(type, place.predecessors);
      return message === null ? [] : [{ pointer: `/scorers/${index}/type`, message }];
    });
    if (onFail.do !== 'retry' || place.leadsHere(onFail.target.to)) return problems;
    const { to, pointer } = onFail.target;
    const message = `there is no way from ${JSON.stringify(to)} back here, so nothing would be judged again`;
    return [...problems, { pointer, message }];
  },

  model: ({ scorers }) => {
    const [judge] = judgesOf(scorers);
    return judge === undefined ? [] : policyNames(judge.model);
  },

  runner: createEvalRunner,

  enter(spec, context) {
    const { scope, visit } = context;
    const judged =
      spec.input === null
        ? ({ ok: true, value: scope.output } as const)
        : evaluateExpression(spec.input, scope);
    if (!judged.ok) return failExpression(judged.message);
    const output = judged.value;
    if (spec.scorers.some(({ type }) => type !== 'assertion')) {
      return { do: 'work', queue: 'engine', input: output, payload: coordinates(context) };
    }
    const result = scoreSubject({
      scorers: spec.scorers,
      subject: { scope: { ...scope, output }, durationMs: null, tokens: null, costUsd: null },
      judgements: new Map(),
    });
    return concludeEval(spec, { result, visit });
  },
};

/** Why a scorer cannot know what it judges where it stands; null: it can. */
function findUnknown(type: Scorer['type'], predecessors: NodePlace['predecessors']): string | null {
  if (type !== 'latency' && type !== 'cost') return null;
  if (predecessors.length === 0) return `no node leads here, so there is no ${type} to judge`;
  const silent = predecessors.find(({ kind }) => kind.model === undefined);
  if (type === 'latency' || silent === undefined) return null;
  return `what ${JSON.stringify(silent.id)} costs is not known: it is no node that asks a model`;
}

/** Null: left out; undefined: reported. */
function readInput(fields: JsonObject, at: ParseContext): Expression | null | undefined {
  const source = fields['input_expr'] ?? null;
  if (source === null || source === '') return null;
  if (typeof source === 'string') return readExpression(source, '/input_expr', at) ?? undefined;
  at.problem('/input_expr', 'must be an expression');
  return undefined;
}
