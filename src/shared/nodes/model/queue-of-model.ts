import type { JsonValue } from '../../domain/json.ts';
import { policyNames } from '../../domain/models/read-model-part.ts';
import {
  type CallQuota,
  hasQuota,
  type QueueOfCall,
  queueOfEngineCall,
} from '../../domain/workflow/flow/call-quota.ts';
import type { ModelPart } from '../../domain/workflow/parse/parts.ts';

/** Whether calls of the model wait for a place or a token. Null: no model is asked. */
export function isLimited(model: ModelPart | null): boolean {
  return model?.quota !== undefined && hasQuota(model.quota);
}

/** Where a call of the model waits. Limits count calls by the provider and the model, as policies name them. */
export function queueOfModel(
  { model, quota }: { readonly model: ModelPart; readonly quota: CallQuota },
  input: JsonValue,
): QueueOfCall {
  return queueOfEngineCall({ ...quota, tool: policyNames(model)[0] ?? model.model }, input);
}

/** The same below the limits of the model's entry in `models`. Null: no model is asked. */
export function queueOfEntry(model: ModelPart | null, input: JsonValue): QueueOfCall {
  return model?.quota === undefined ? NO_WAIT : queueOfModel({ model, quota: model.quota }, input);
}

const NO_WAIT: QueueOfCall = { ok: true, name: null };
