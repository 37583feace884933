import { evaluateMapping, type Mapping } from '../../domain/expression/mapping.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findAddressProblem } from '../../domain/workflow/parse/read-auth.ts';
import type { EnterContext, Entry, ParseContext } from '../../domain/workflow/plan/plan.ts';
import {
  anyOf,
  anything,
  flag,
  object,
  ref,
  text,
  wholeNumber,
  word,
} from '../../domain/workflow/schema/fields.ts';
import { ON_INPUT_REQUIRED } from '../a2a-task/spec.ts';
import { enterWork } from '../enter-work.ts';
import { failExpression, failValue } from '../fail-entry.ts';
import { readMapping, readText, readWord } from '../read-fields.ts';
import { readFlag } from '../read-flag.ts';
import { modelOfCriteria, readCriteria, CRITERIA_FIELDS } from './read-criteria.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createAgentRunner } from './run.ts';
import type { AgentSpec, AgentChoice } from './spec.ts';

const CHOICES = '"auto", an agent\'s id, or {"explicit": "https://…"}';

/** Has a registered agent do something, over the protocol that its card names. */
export const agentKind: RunnableKind<AgentSpec> = {
  type: 'agent',
  aliases: ['agent_tool'],
  fields: {
    agent_ref: ref('TextOrPath', 'The id of an agent, or a path that gives one.'),
    agent: anyOf('"auto", an id or a path, or {explicit: URL}.', [
      { $ref: '#/$defs/TextOrPath' },
      object('An agent at an address, or one that is picked.', {
        explicit: text('The address.'),
        auto: anything('Any value: the agent is picked.'),
      }),
    ]),
    ...CRITERIA_FIELDS,
    timeout_ms: wholeNumber('Longest time in milliseconds.', { minimum: 1 }),
    stream: flag('Whether the agent streams changes, if it can.'),
    on_input_required: word(
      'How to treat a question of the agent. Default `park`.',
      ON_INPUT_REQUIRED,
    ),
  },
  leaf: true,
  toolLike: true,
  freshKeyOnRetry: true,

  parse(fields, at) {
    const choice = readChoice(fields, at);
    const criteria = readCriteria(fields, at);
    const skill = readText(fields, 'skill', at);
    const timeoutMs = readTimeout(fields, at);
    const stream = readFlag(fields, 'stream', at);
    const onInputRequired =
      readWord(fields, { name: 'on_input_required', words: ON_INPUT_REQUIRED }, at) ?? 'park';
    if (choice === null || criteria === null || timeoutMs === undefined) return null;
    return { choice, criteria, skill, timeoutMs, stream, onInputRequired };
  },

  model: ({ choice, criteria }) => (choice.by === 'auto' ? modelOfCriteria(criteria) : []),

  runner: createAgentRunner,

  enter({ choice, timeoutMs }, context) {
    const ref = choice.by === 'ref' ? evaluateRef(choice.ref, context) : null;
    if (typeof ref === 'object' && ref !== null) return ref;
    const limits = [timeoutMs, context.node.nodeTimeoutMs].filter((ms) => ms !== null);
    const timeout = limits.length === 0 ? null : Math.min(...limits);
    const call = { timeout_ms: timeout, agent_ref: ref };
    return enterWork({ queue: 'engine', call, context });
  },
};

function readChoice(fields: JsonObject, at: ParseContext): AgentChoice | null {
  const ref = readRef(fields, 'agent_ref', at);
  const agent = fields['agent'] ?? null;
  if ((fields['agent_ref'] ?? null) !== null) {
    if (agent !== null) at.problem('/agent', 'agent_ref or agent, not both');
    return ref;
  }
  if (agent === null) at.problem('/agent', `missing agent_ref, or agent: ${CHOICES}`);
  else if (agent === 'auto' || (isJsonObject(agent) && 'auto' in agent)) return { by: 'auto' };
  else if (typeof agent === 'string') return readRef(fields, 'agent', at);
  else return readExplicit(agent, at);
  return null;
}

function readRef(fields: JsonObject, name: string, at: ParseContext): AgentChoice | null {
  const ref = readMapping(fields, name, at);
  if (ref === null) return null;
  if (ref.kind === 'literal' && !isId(ref.value)) at.problem(`/${name}`, `must be ${ID}`);
  return { by: 'ref', ref };
}

function readExplicit(agent: unknown, at: ParseContext): AgentChoice | null {
  const uri = isJsonObject(agent) ? agent['explicit'] : null;
  if (typeof uri === 'string' && URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol)) {
    const problem = findAddressProblem(uri);
    if (problem !== null) at.problem('/agent/explicit', problem);
    return { by: 'uri', uri };
  }
  at.problem('/agent', `must be ${CHOICES}`);
  return null;
}

/** Null: none; `undefined`: reported. */
function readTimeout(fields: JsonObject, at: ParseContext): number | null | undefined {
  const value = fields['timeout_ms'] ?? null;
  if (value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  at.problem('/timeout_ms', 'must be a whole number of milliseconds above 0');
  return undefined;
}

const REF_BYTES_MAX = 512;
const ID = `an agent's id, text of 1 to ${REF_BYTES_MAX} bytes`;

function isId(value: JsonValue): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= REF_BYTES_MAX;
}

/** The id, or the entry that fails the node. */
function evaluateRef(ref: Mapping, { scope }: EnterContext): string | Entry {
  const result = evaluateMapping(ref, scope);
  if (!result.ok) return failExpression(result.message);
  const { value } = result;
  return isId(value) ? value : failValue(`agent_ref must give ${ID}`);
}
