import { badRequest, conflict, type SvcError } from '../../domain/errors.ts';
import type { WhenFull } from '../../domain/workflow/flow/concurrency.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  batchLineOf,
  debounceLineOf,
  flowKeyOf,
  keyInPlace,
  lineKeyOf,
  nameForStarts,
  placeKeyOf,
} from '../../domain/workflow/flow/flow-key.ts';
import { type GivenInput, ruledInput } from '../../domain/workflow/flow/ruled-input.ts';
import type { FlowRules } from '../../domain/workflow/flow/given-rules.ts';
import type { BeginningKind } from '../../domain/workflow/flow/rule-kinds.ts';
import { tokenIntervalUs } from '../../domain/workflow/flow/rate.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { AwaitedPlace, NewExecution } from '../../store/commit.ts';

/** The place and the token that an execution needs before it begins. */
export interface NeededPlace extends AwaitedPlace {
  readonly whenFull: WhenFull;
}

interface Started extends GivenInput {
  readonly tenantId: TenantId;
}

/** The line that an execution with this input waits in before it begins; null: none. */
export function neededPlaceOf(rules: FlowRules, of: Started): NeededPlace | null {
  const needed = of.isBatch
    ? firstLineOf({ ...rules, batch: null }, { ...of, input: ruledInput(of), isBatch: false })
    : firstLineOf(rules, of);
  if (needed === null || rules.given === undefined) return needed;
  return {
    ...needed,
    ...(rules.given.has('concurrency') && { keepsLimit: true }),
    ...(rules.given.has('rate') && { keepsRate: true }),
  };
}

function firstLineOf(rules: FlowRules, of: Started): NeededPlace | null {
  const { workflowId, debounce, batch } = rules;
  if (batch !== null) {
    const { max, waitMs } = batch;
    return {
      placeKey: named(rules, batchLineOf(workflowId, readKey(rules, 'batch', of.input)), 'batch'),
      placesMax: max,
      whenFull: 'queue',
      batch: { waitMs, bytes: Buffer.byteLength(JSON.stringify(of.input)) },
    };
  }
  const needed = placeOrTokenOf(rules, of);
  if (debounce === null) return needed;
  const { waitMs, maxWaitMs } = debounce;
  return {
    placeKey: named(
      rules,
      debounceLineOf(workflowId, readKey(rules, 'debounce', of.input)),
      'debounce',
    ),
    placesMax: 1,
    whenFull: 'queue',
    cancelsOldest: true,
    debounce: { waitMs, maxWaitMs, next: needed && queued(needed) },
  };
}

/** It waits, as its start has been answered. */
export function queued({ whenFull, ...awaited }: NeededPlace): AwaitedPlace {
  return whenFull === 'cancel_oldest' ? { ...awaited, cancelsOldest: true } : awaited;
}

function placeOrTokenOf(rules: FlowRules, { input, tenantId }: Started): NeededPlace | null {
  const { workflowId, concurrency, rate } = rules;
  if (concurrency === null && rate === null) return null;
  const key = readKey(rules, 'concurrency', input);
  const placeKey = named(rules, placeKeyOf(workflowId, key), 'concurrency');
  const placesMax = concurrency?.limit ?? null;
  const whenFull = concurrency?.whenFull ?? 'queue';
  if (rate === null) return { placeKey, placesMax, whenFull };
  const rateKey = readKey(rules, 'rate', input);
  return {
    placeKey: named(rules, lineKeyOf(workflowId, key, rateKey), 'concurrency', 'rate'),
    placesMax,
    whenFull,
    rate: {
      placesKey: concurrency === null ? null : placeKey,
      bucket: {
        key: `${tenantId}/start#${named(rules, placeKeyOf(workflowId, rateKey), 'rate')}`,
        intervalUs: tokenIntervalUs(rate),
        burst: rate.burst,
      },
    },
  };
}

/** The name of what these kinds of rules share, see `nameForStarts`. */
function named({ given }: FlowRules, name: string, ...kinds: readonly BeginningKind[]): string {
  return given === undefined
    ? name
    : nameForStarts(
        name,
        kinds.filter((kind) => given.has(kind)),
      );
}

function readKey(rules: FlowRules, kind: BeginningKind, input: JsonObject): string {
  const found = flowKeyOf(rules[kind]?.key ?? null, input);
  if (!found.ok) {
    const whose = rules.given?.has(kind) === true ? '' : ' of the workflow';
    throw badRequest(`${kind}.key${whose}: ${found.message}`);
  }
  return found.key;
}

export function mayNeedPlace({ concurrency, rate, debounce, batch }: FlowRules): boolean {
  return concurrency !== null || rate !== null || debounce !== null || batch !== null;
}

/** How the commit of the start gets the place. */
export function placeInCommit(
  needed: NeededPlace | null,
): Pick<NewExecution, 'awaitsPlace' | 'takesPlace'> {
  if (needed === null) return {};
  const { whenFull, ...place } = needed;
  switch (whenFull) {
    case 'queue':
      return { awaitsPlace: place };
    case 'refuse': {
      const { placeKey, placesMax } = place;
      return placesMax === null ? { awaitsPlace: place } : { takesPlace: { placeKey, placesMax } };
    }
    case 'cancel_oldest':
      return { awaitsPlace: { ...place, cancelsOldest: true } };
  }
}

/** A conflict and no limit of a tenant, which clients would repeat: the places may be taken for days. */
export function placesTaken(
  { workflowId, shownPolicy }: Pick<Plan, 'workflowId' | 'shownPolicy'>,
  { placeKey, placesMax }: AwaitedPlace,
): SvcError {
  const key = shownPolicy === null ? keyInPlace(placeKey) : '';
  const of = key === '' ? '' : ` of key ${key}`;
  const places = placesMax === 1 ? `the only place${of} is` : `all ${placesMax} places${of} are`;
  return conflict(
    `workflow ${workflowId} refuses this start, because ${places} taken: start again when an ` +
      'execution that has a place has ended, or cancel one',
    {
      code: PLACES_TAKEN,
      workflow_id: workflowId,
      key: key === '' ? null : key,
      limit: placesMax,
    },
  );
}

const PLACES_TAKEN = 'concurrency_limit';

export function isPlacesTaken({ body }: SvcError): boolean {
  return body?.['code'] === PLACES_TAKEN;
}
