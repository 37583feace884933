import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { ProblemList } from '../workflow/problem.ts';
import { pointerTo } from '../workflow/problem.ts';
import { DETECTORS, type PartialDataPolicy, PII_ACTIONS } from './data-policy.ts';
import { FieldPatterns } from './field-patterns.ts';

const KEYS = ['pii_fields', 'detectors', 'action', 'retain_prompts', 'retain_outputs'];
/** Other products' names for two of them. */
const ALIASES: Readonly<Record<string, string>> = {
  pii_detectors: 'detectors',
  redaction_mode: 'action',
};

/** The data policy of a workflow or a node; null when there is none, or it could not be read. */
export function parseDataPolicy(
  value: JsonValue,
  pointer: string,
  problems: ProblemList,
): PartialDataPolicy | null {
  if (value === null) return null;
  if (!isJsonObject(value)) {
    problems.add(pointer, `must be an object with ${KEYS.join(', ')}`);
    return null;
  }
  // A misspelt key would quietly show what its author meant to hide.
  for (const key of Object.keys(value)) {
    const alias = ALIASES[key];
    if (alias !== undefined && (value[alias] ?? null) !== null) {
      problems.add(pointer + pointerTo(key), `is another name of ${alias}: give one of them`);
    } else if (alias === undefined && !KEYS.includes(key)) {
      problems.add(pointer + pointerTo(key), `unknown key: known are ${KEYS.join(', ')}`);
    }
  }
  return {
    ...readFields(value, pointer, problems),
    ...readDetectors(value, pointer, problems),
    ...readAction(value, pointer, problems),
    ...readFlag(value, { key: 'retain_prompts', name: 'retainPrompts', pointer }, problems),
    ...readFlag(value, { key: 'retain_outputs', name: 'retainOutputs', pointer }, problems),
  };
}

function readFields(value: JsonObject, pointer: string, problems: ProblemList): PartialDataPolicy {
  const fields = value['pii_fields'] ?? null;
  if (fields === null) return {};
  const isPath = (field: JsonValue): field is string =>
    typeof field === 'string' && field !== '' && field.split('.').every((part) => part !== '');
  if (!Array.isArray(fields) || !fields.every(isPath)) {
    problems.add(
      `${pointer}/pii_fields`,
      'must be an array of names or paths, like "customer.email"',
    );
    return {};
  }
  const piiFields = fields.map((field) => field.split('.'));
  // Every member of every shown value is compared with them.
  if (fields.length > FIELDS_MAX || piiFields.some((path) => path.length > SEGMENTS_MAX)) {
    problems.add(
      `${pointer}/pii_fields`,
      `must be at most ${FIELDS_MAX} paths of at most ${SEGMENTS_MAX} segments`,
    );
    return {};
  }
  return { piiFields: new FieldPatterns(piiFields) };
}

const FIELDS_MAX = 1_000;
const SEGMENTS_MAX = 8;

function readDetectors(
  value: JsonObject,
  pointer: string,
  problems: ProblemList,
): PartialDataPolicy {
  const { key, given: names } = pick(value, 'detectors', 'pii_detectors');
  if (names === null) return {};
  const known = Array.isArray(names) ? DETECTORS.filter((name) => names.includes(name)) : [];
  if (Array.isArray(names) && known.length === new Set(names).size) return { detectors: known };
  problems.add(`${pointer}/${key}`, `must be an array of ${DETECTORS.join(', ')}`);
  return {};
}

function readAction(value: JsonObject, pointer: string, problems: ProblemList): PartialDataPolicy {
  const { key, given } = pick(value, 'action', 'redaction_mode');
  if (given === null) return {};
  const action = PII_ACTIONS.find((known) => known === given);
  if (action !== undefined) return { action };
  problems.add(`${pointer}/${key}`, `must be one of ${PII_ACTIONS.join(', ')}`);
  return {};
}

function pick(value: JsonObject, name: string, alias: string) {
  const key = (value[name] ?? null) === null && alias in value ? alias : name;
  return { key, given: value[key] ?? null };
}

function readFlag(
  value: JsonObject,
  of: {
    readonly key: string;
    readonly name: 'retainPrompts' | 'retainOutputs';
    readonly pointer: string;
  },
  problems: ProblemList,
): PartialDataPolicy {
  const { key, name, pointer } = of;
  const flag = value[key] ?? null;
  if (flag === null) return {};
  if (typeof flag === 'boolean') return { [name]: flag };
  problems.add(`${pointer}/${key}`, 'must be true or false');
  return {};
}
