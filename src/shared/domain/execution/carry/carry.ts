import type { ExecutionId } from '../../ids.ts';
import type { CarriedPayload, CarriedUndoPayload } from '../event-payloads.ts';
import type { ExecutionState } from '../state.ts';
import type { Undoable } from '../undo/undo-state.ts';

/**
 * The state that an execution hands over to the one that continues it. Its own budget becomes the
 * successor's. `visits`: the next visit numbers; null: the successor counts from 0.
 */
export function carry(
  state: ExecutionState,
  to: { readonly successor: ExecutionId; readonly visits: CarriedPayload['visits'] | null },
): CarriedPayload {
  const { usage } = state;
  const inherit = (account: string) => (account === state.executionId ? to.successor : account);
  return {
    state: state.data,
    arrivals: state.arrivals,
    mailbox: state.mailbox.map(({ correlationKey, payload }) => ({
      correlation_key: correlationKey,
      payload,
    })),
    settled_nodes: [...new Set([...state.skipped, ...state.nextVisit.keys()])],
    ...(to.visits && { visits: to.visits }),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
    },
    budget_grants: Object.fromEntries(
      Object.entries(state.budgetGrants).map(([account, times]) => [inherit(account), times]),
    ),
    budgets_warned: state.warned.map(inherit),
    ...(state.undo.pending.length > 0 && { undo: state.undo.pending.map(carryUndo) }),
  };
}

function carryUndo({ nodeId, visit, output, item }: Undoable): CarriedUndoPayload {
  return { node_id: nodeId, visit, output, ...(item !== null && { item }) };
}
