import { badRequest, conflict, type SvcError } from '../../domain/errors.ts';
import type { WhenFull } from '../../domain/workflow/flow/concurrency.ts';
import type { Expression } from '../../domain/expression/expression.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  batchLineOf,
  debounceLineOf,
  flowKeyOf,
  keyInPlace,
  lineKeyOf,
  placeKeyOf,
} from '../../domain/workflow/flow/flow-key.ts';
import { type GivenInput, ruledInput } from '../../domain/workflow/flow/ruled-input.ts';
import { tokenIntervalUs } from '../../domain/workflow/flow/rate.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { AwaitedPlace, NewExecution } from '../../store/commit.ts';

/** The place and the token that an execution needs before it begins. */
export interface NeededPlace extends AwaitedPlace {
  readonly whenFull: WhenFull;
}

export type FlowRules = Pick<Plan, 'workflowId' | 'concurrency' | 'rate' | 'debounce' | 'batch'>;

interface Started extends GivenInput {
  readonly tenantId: TenantId;
}

/** The line that an execution with this input waits in before it begins; null: none. */
export function neededPlaceOf(rules: FlowRules, of: Started): NeededPlace | null {
  if (of.isBatch) {
    const one = { ...of, input: ruledInput(of), isBatch: false };
    return neededPlaceOf({ ...rules, batch: null }, one);
  }
  const { workflowId, debounce, batch } = rules;
  if (batch !== null) {
    const { max, waitMs } = batch;
    return {
      placeKey: batchLineOf(workflowId, readKey('batch', batch.key, of.input)),
      placesMax: max,
      whenFull: 'queue',
      batch: { waitMs, bytes: Buffer.byteLength(JSON.stringify(of.input)) },
    };
  }
  const needed = placeOrTokenOf(rules, of);
  if (debounce === null) return needed;
  const { waitMs, maxWaitMs } = debounce;
  return {
    placeKey: debounceLineOf(workflowId, readKey('debounce', debounce.key, of.input)),
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

function placeOrTokenOf(
  { workflowId, concurrency, rate }: FlowRules,
  { input, tenantId }: Started,
): NeededPlace | null {
  if (concurrency === null && rate === null) return null;
  const key = concurrency === null ? '' : readKey('concurrency', concurrency.key, input);
  const placeKey = placeKeyOf(workflowId, key);
  const placesMax = concurrency?.limit ?? null;
  const whenFull = concurrency?.whenFull ?? 'queue';
  if (rate === null) return { placeKey, placesMax, whenFull };
  const rateKey = readKey('rate', rate.key, input);
  return {
    placeKey: lineKeyOf(workflowId, key, rateKey),
    placesMax,
    whenFull,
    rate: {
      placesKey: concurrency === null ? null : placeKey,
      bucket: {
        key: `${tenantId}/start#${placeKeyOf(workflowId, rateKey)}`,
        intervalUs: tokenIntervalUs(rate),
        burst: rate.burst,
      },
    },
  };
}

function readKey(field: string, expression: Expression | null, input: JsonObject): string {
  const found = flowKeyOf(expression, input);
  if (!found.ok) throw badRequest(`${field}.key of the workflow: ${found.message}`);
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
