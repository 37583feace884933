import type { DefinitionId, ExecutionId, TenantId } from '../ids.ts';
import { NO_LABELS } from './labels/labels.ts';
import { type ExecutionState, type LiveVisit, NO_USAGE } from './state.ts';
import { NO_UNDO } from './undo/undo-state.ts';

/** A state that one fold owns and changes. Nothing else sees it until the fold is done. */
export type Draft = {
  -readonly [
    Key in keyof Omit<ExecutionState, 'nextVisit' | 'live' | 'arrivals' | 'mailbox' | 'skipped'>
  ]: ExecutionState[Key];
} & {
  nextVisit: Map<string, number>;
  live: Map<string, LiveVisit>;
  arrivals: ExecutionState['arrivals'];
  mailbox: ExecutionState['mailbox'];
  skipped: Set<string>;
};

/** An execution before its first event. */
export function emptyState(ids: {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
}): ExecutionState {
  return {
    ...ids,
    definitionId: '' as DefinitionId,
    workflowId: '',
    workflowVersion: '',
    input: {},
    isBatch: false,
    labels: NO_LABELS,
    startRules: null,
    data: {},
    sequence: 0,
    status: 'running',
    stepsExecuted: 0,
    usage: NO_USAGE,
    budgetGrants: {},
    warned: [],
    error: null,
    nextVisit: new Map(),
    live: new Map(),
    arrivals: [],
    mailbox: [],
    skipped: new Set(),
    fatal: null,
    workflowTimerFired: false,
    workflowTimerStarted: false,
    startWait: null,
    parent: null,
    depth: 0,
    rootId: null,
    continuedFrom: null,
    continuedAs: null,
    retriedFrom: null,
    forkedFrom: null,
    keysOf: null,
    carriedMaps: {},
    carriedApprovals: {},
    carriedJournals: {},
    carriedInputs: {},
    grantedCalls: [],
    ending: null,
    undo: NO_UNDO,
    pauses: [],
  };
}

export function draftOf(state: ExecutionState): Draft {
  return {
    ...state,
    nextVisit: new Map(state.nextVisit),
    live: new Map(state.live),
    skipped: new Set(state.skipped),
  };
}

/**
 * The state itself, without a copy: for a caller that has just folded it and shares it with nobody.
 */
export function ownedDraft(state: ExecutionState): Draft {
  return state as Draft;
}
