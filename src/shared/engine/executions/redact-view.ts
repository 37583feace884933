import { type DataPolicy, dataPolicyOf } from '../../domain/data-policy/data-policy.ts';
import { MASK, type Pseudonym, redact, redactObject } from '../../domain/data-policy/redact.ts';
import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { ExecutionState, Failure } from '../../domain/execution/state.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { placeKeyOf } from '../../domain/workflow/flow/flow-key.ts';
import type { StandingPause } from '../../domain/workflow/workflow-pause.ts';
import type { ExecutionRow } from '../../store/store.ts';

/** Keys of events' payloads under which people's data may stand; the rest is the engine's own. */
const DATA_KEYS = new Set([
  'input',
  'output',
  'state_patch',
  'payload',
  'data',
  'shown',
  'approval',
  'approved',
  'carried',
  'description',
  'comment',
  'user_id',
  'reason',
  'error',
  'message',
  'context',
]);
/** A person's own words of a decision: a policy may name them as fields, too. */
const DECISION_KEYS = new Set(['comment', 'user_id']);
/** Lists of what a durable function recorded, and of what it waits for: each is like a payload. */
const LIST_KEYS = new Set(['entries', 'waits']);
const OUTPUT_KEYS = new Set(['output', 'state_patch', 'data', 'carried']);
/** A function makes the input that it continues with, so that input is an output too. */
const OUTPUT_KEYS_OF_CONTINUED = new Set(['input']);

/** A state as its workflow's data policy lets it be seen. */
export function redactState(
  state: ExecutionState,
  plan: Plan,
  pseudonym: Pseudonym,
): ExecutionState {
  const policy = plan.shownPolicy;
  if (policy === null) return state;
  const data = policy.retainOutputs ? withoutHiddenOutputs(state.data, plan) : {};
  const see = (value: JsonObject) => redactObject(value, policy, pseudonym);
  return {
    ...state,
    data: see(data),
    input: see(state.input),
    error: state.error === null ? null : (redact(state.error, policy, pseudonym) as string),
    undo: {
      ...state.undo,
      failed: state.undo.failed.map((one) => ({
        ...one,
        error: redact(one.error, policy, pseudonym) as string,
      })),
    },
    pauses: redactPauses(state.pauses, plan, pseudonym),
  };
}

/** The same of a pause of its workflow. */
export function redactReason(
  pause: StandingPause | null,
  plan: Plan,
  pseudonym: Pseudonym,
): StandingPause | null {
  const policy = plan.shownPolicy;
  if (policy === null || pause === null || pause.reason === null) return pause;
  return { ...pause, reason: redact(pause.reason, policy, pseudonym) as string };
}

/** Why somebody has paused it: a text of a person about others. */
export function redactPauses(
  pauses: ExecutionState['pauses'],
  plan: Plan,
  pseudonym: Pseudonym,
): ExecutionState['pauses'] {
  const policy = plan.shownPolicy;
  if (policy === null) return pauses;
  return pauses.map(({ reason, ...pause }) => ({
    ...pause,
    reason: reason && (redact(reason, policy, pseudonym) as string),
  }));
}

/** An execution's row: of its columns the error alone may hold people's data. */
export function redactRow(row: ExecutionRow, plan: Plan, pseudonym: Pseudonym): ExecutionRow {
  if (plan.shownPolicy === null || row.error === null) return row;
  return { ...row, error: redact(row.error, plan.shownPolicy, pseudonym) as string };
}

/** A key is text from the input without its field, so a policy hides it entirely. */
export function redactWait<Wait extends { readonly placeKey: string | null }>(
  wait: Wait | null,
  plan: Plan,
): Wait | null {
  if (plan.shownPolicy === null || wait === null || wait.placeKey === null) return wait;
  return { ...wait, placeKey: placeKeyOf(plan.workflowId, '') };
}

/** Whether messages of its failures may read otherwise than they are stored. */
export function mayRedactErrors({ shownPolicy }: Plan): boolean {
  return shownPolicy !== null && shownPolicy.detectors.length > 0;
}

/**
 * Redacts a message by the policy of its node; a message of the execution, which may quote any
 * node, by all policies.
 */
export function redactError(
  error: string,
  of: { readonly plan: Plan; readonly nodeId: string | null; readonly pseudonym: Pseudonym },
): string {
  const policy = policyOf(of.plan, of.nodeId);
  return policy === null ? error : (redact(error, policy, of.pseudonym) as string);
}

/** The same of what an execution ends with. */
export function redactFailure(
  failure: Failure | null,
  plan: Plan,
  pseudonym: Pseudonym,
): Failure | null {
  if (failure === null) return null;
  return { ...failure, error: redactError(failure.error, { plan, nodeId: null, pseudonym }) };
}

/** A decision's user, as the data policy of its node lets it be seen. */
export function redactUserId(
  userId: string,
  of: { readonly plan: Plan; readonly nodeId: string | null; readonly pseudonym: Pseudonym },
): string | null {
  const policy = policyOf(of.plan, of.nodeId);
  if (policy === null) return userId;
  const shown = redactObject({ user_id: userId }, policy, of.pseudonym)['user_id'];
  return typeof shown === 'string' ? shown : null;
}

/** An event as the data policy of its node, and of its workflow, lets it be seen. */
export function redactEvent(event: RecordedEvent, plan: Plan, pseudonym: Pseudonym): RecordedEvent {
  if (plan.shownPolicy === null) return event;
  const node = event.nodeId === null ? undefined : plan.nodes.get(event.nodeId);
  const policy = policyOf(plan, event.nodeId);
  if (policy === null) return event;
  const payload = redactPayload(showCarried(event.payload, plan, pseudonym), {
    policy,
    pseudonym,
    outputKey: node?.outputKey ?? null,
    outputKeys: event.kind === 'NodeContinuedAsNew' ? OUTPUT_KEYS_OF_CONTINUED : OUTPUT_KEYS,
  });
  return { ...event, payload } as unknown as RecordedEvent;
}

function policyOf(plan: Plan, nodeId: string | null): DataPolicy | null {
  const node = nodeId === null ? undefined : plan.nodes.get(nodeId);
  if (node === undefined) return plan.shownPolicy;
  return dataPolicyOf({ workflow: plan.dataPolicy, node: node.dataPolicy });
}

interface Redaction {
  readonly policy: DataPolicy;
  readonly pseudonym: Pseudonym;
  /** Under which the output stands in the state, where fields are named as a whole path. */
  readonly outputKey: string | null;
}

function redactPayload(
  payload: JsonObject,
  by: Redaction & { readonly outputKeys: ReadonlySet<string> },
): JsonObject {
  const { policy, pseudonym, outputKeys } = by;
  return Object.fromEntries(
    Object.entries(payload).flatMap(([key, value]): [string, JsonValue][] => {
      if (LIST_KEYS.has(key) && Array.isArray(value)) {
        const items: readonly JsonValue[] = value;
        return [[key, items.map((item) => redactItem(item, by))]];
      }
      // The summary of an end quotes errors; of a visit it is the id of a node.
      if (key === 'undo' && isJsonObject(value)) return [[key, redact(value, policy, pseudonym)]];
      if (key === 'start_rules' && isJsonObject(value)) return [[key, hideKeys(value)]];
      if (!DATA_KEYS.has(key)) return [[key, value]];
      if (!policy.retainOutputs && outputKeys.has(key)) return [];
      if (DECISION_KEYS.has(key)) {
        return [[key, redactObject({ [key]: value }, policy, pseudonym)[key] ?? null]];
      }
      if (key !== 'output') return [[key, redact(value, policy, pseudonym)]];
      const shown = redactOutput(value, by);
      return shown === undefined ? [] : [[key, shown]];
    }),
  );
}

/** A key, or a weight, may have text that no field names: it is hidden entirely, as the key of a wait. */
function hideKeys(rules: JsonObject): JsonObject {
  const shown = Object.entries(rules).map(([kind, rule]) => [
    kind,
    isJsonObject(rule)
      ? {
          ...rule,
          ...('key' in rule && { key: MASK }),
          ...(typeof rule['weight'] === 'string' && { weight: MASK }),
        }
      : rule,
  ]);
  return Object.fromEntries(shown) as JsonObject;
}

function redactItem(item: JsonValue, by: Parameters<typeof redactPayload>[1]): JsonValue {
  return isJsonObject(item) ? redactPayload(item, { ...by, outputKey: null }) : item;
}

/** Undefined: the whole is removed. */
function redactOutput(
  output: JsonValue,
  { policy, pseudonym, outputKey }: Redaction,
): JsonValue | undefined {
  if (outputKey === null) return redact(output, policy, pseudonym);
  return redactObject({ [outputKey]: output }, policy, pseudonym)[outputKey];
}

/** The state that a run got from the previous one, with the outputs of pending tokens. */
function showCarried(payload: JsonObject, plan: Plan, pseudonym: Pseudonym): JsonObject {
  const { carried = null } = payload;
  if (!isJsonObject(carried) || !isJsonObject(carried['state'])) return payload;
  const { arrivals = null, maps = null, journals = null, inputs = null, undo = null } = carried;
  return {
    ...payload,
    carried: {
      ...carried,
      state: withoutHiddenOutputs(carried['state'], plan),
      ...(Array.isArray(maps) && { maps: maps.map((map: JsonValue) => showMap(map, plan)) }),
      ...(Array.isArray(journals) && {
        journals: journals.map((journal: JsonValue) => showJournal(journal, plan)),
      }),
      ...(Array.isArray(inputs) && {
        inputs: inputs.map((input: JsonValue) => showInput(input, plan)),
      }),
      ...(Array.isArray(undo) && {
        undo: undo.map((done: JsonValue) => showUndo(done, plan)),
      }),
      ...(Array.isArray(arrivals) && {
        arrivals: arrivals.map((arrival: JsonValue) => showArrival(arrival, plan, pseudonym)),
      }),
    },
  };
}

/** The outputs of a map's items that a retry continues. */
function showMap(map: JsonValue, plan: Plan): JsonValue {
  if (!isJsonObject(map) || !Array.isArray(map['done'])) return map;
  const { node_id: nodeId = null, body = null } = map;
  const nodes = [nodeId, body].map((id) => (typeof id === 'string' ? plan.nodes.get(id) : null));
  if (!nodes.some((node) => node?.dataPolicy?.retainOutputs === false)) return map;
  const done = map['done'].map((one: JsonValue) =>
    isJsonObject(one) ? { ...one, output: null } : one,
  );
  return { ...map, done };
}

/** The outputs of the steps of a function that a retry continues. */
function showJournal(journal: JsonValue, plan: Plan): JsonValue {
  if (!isJsonObject(journal) || !Array.isArray(journal['entries'])) return journal;
  const { node_id: nodeId = null } = journal;
  const node = typeof nodeId === 'string' ? plan.nodes.get(nodeId) : undefined;
  if (node?.dataPolicy?.retainOutputs !== false) return journal;
  const entries = journal['entries'].map((one: JsonValue) =>
    isJsonObject(one) && 'output' in one ? { ...one, output: null } : one,
  );
  return { ...journal, entries };
}

/** The output of a step that the end of the execution may undo. */
function showUndo(done: JsonValue, plan: Plan): JsonValue {
  if (!isJsonObject(done)) return done;
  const { node_id: nodeId = null } = done;
  const node = typeof nodeId === 'string' ? plan.nodes.get(nodeId) : undefined;
  return node?.dataPolicy?.retainOutputs === false ? { ...done, output: null, item: null } : done;
}

/** The input that a function continued with. */
function showInput(carried: JsonValue, plan: Plan): JsonValue {
  if (!isJsonObject(carried)) return carried;
  const { node_id: nodeId = null } = carried;
  const node = typeof nodeId === 'string' ? plan.nodes.get(nodeId) : undefined;
  return node?.dataPolicy?.retainOutputs === false ? { ...carried, input: null } : carried;
}

function showArrival(arrival: JsonValue, plan: Plan, pseudonym: Pseudonym): JsonValue {
  if (!isJsonObject(arrival) || typeof arrival['from'] !== 'string') return arrival;
  const node = plan.nodes.get(arrival['from']);
  const policy = node && dataPolicyOf({ workflow: plan.dataPolicy, node: node.dataPolicy });
  if (node === undefined || !policy) return arrival;
  const { outputKey } = node;
  const { output = null } = arrival;
  const shown = policy.retainOutputs
    ? redactOutput(output, { policy, pseudonym, outputKey })
    : null;
  return { ...arrival, output: shown ?? null };
}

/** A node that alone keeps its outputs back has them under its output key. */
function withoutHiddenOutputs(data: JsonObject, plan: Plan): JsonObject {
  const hidden = new Set(
    plan.nodes
      .values()
      .filter((node) => node.dataPolicy?.retainOutputs === false)
      .map((node) => node.outputKey)
      .toArray(),
  );
  if (hidden.size === 0) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !hidden.has(key)));
}
