import type { JsonObject } from '../../../shared/domain/json.ts';
import { decideSerialised } from '../../../shared/engine/advance/decide-serialised.ts';
import { announceStart } from './announce-start.ts';

export interface DecideTask {
  readonly ir: JsonObject;
  readonly snapshot: string;
}

/** A decision over a state so large that making it would hold up everything else. */
export const decide = announceStart((task: DecideTask): unknown => decideSerialised(task));
