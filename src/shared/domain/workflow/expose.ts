import { parseMappingPath, type MappingPath } from '../expression/mapping-path.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { type Findings, pointerTo } from './problem.ts';

/** The inputs and results of an agent of the A2A protocol, beyond those of every workflow. */
export interface Exposure {
  /** Media types of the files that it takes, and of what it gives. */
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  /** Where in the final state its result lies; null: the state is the result. */
  readonly result: MappingPath | null;
}

/** Whether a definition asks to be reached as an agent of the A2A protocol. */
export function isExposedToA2a(ir: JsonObject): boolean {
  const { expose } = ir;
  return isJsonObject(expose) && expose['a2a'] === true;
}

export function readExposure({ expose }: JsonObject): Exposure {
  const given = isJsonObject(expose) ? expose : {};
  const result = resultOf(given['result'] ?? null);
  return {
    inputModes: modesOf(given['input_modes']) ?? ['text/plain', 'application/json'],
    outputModes:
      modesOf(given['output_modes']) ??
      (result === null ? ['application/json'] : ['application/json', 'text/plain']),
    result,
  };
}

/** `expose` decides who can reach a workflow, so what cannot be meant is refused, not ignored. */
export function checkExpose(ir: JsonObject, { problems }: Findings): void {
  const expose = ir['expose'] ?? null;
  if (expose === null) return;
  if (!isJsonObject(expose)) {
    problems.add('/expose', 'must be an object, such as {"a2a": true}');
    return;
  }
  if (typeof (expose['a2a'] ?? false) !== 'boolean') {
    problems.add('/expose/a2a', 'must be true or false');
  }
  const result = expose['result'] ?? null;
  if (result !== null && resultOf(result) === null) {
    problems.add('/expose/result', 'must be a path into the state, such as "$.reply"');
  }
  for (const key of ['input_modes', 'output_modes']) {
    if ((expose[key] ?? null) !== null && modesOf(expose[key]) === null) {
      problems.add(
        pointerTo('expose', key),
        'must be a list of media types, such as ["text/plain"]',
      );
    }
  }
}

const MODES_MAX = 50;
const MODE = /^[a-z0-9!#$&^_.+*-]+\/[a-z0-9!#$&^_.+*-]+$/i;

function resultOf(value: JsonValue): MappingPath | null {
  const path = typeof value === 'string' ? parseMappingPath(value) : null;
  return path?.variable === 'state' ? path : null;
}

/** Null: no such list. */
function modesOf(value: JsonValue | undefined): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MODES_MAX) return null;
  const modes = value.filter((mode) => typeof mode === 'string' && MODE.test(mode));
  return modes.length === value.length ? (modes as readonly string[]) : null;
}
