import type { RecordedEvent } from '../../domain/execution/event.ts';
import type { ApprovalRow, DecidedApprovalRow } from '../readings/approvals.ts';

/** The row names an event by its sequence, so another kind of event there is a fault of the store. */
export function decodeApproval(event: RecordedEvent): ApprovalRow['requested'] {
  if (event.kind === 'ApprovalRequested') return event;
  throw new Error(`event ${event.sequence} is ${event.kind}, and asks for no approval`);
}

export function decodeDecision(event: RecordedEvent): DecidedApprovalRow['received'] {
  if (event.kind === 'ApprovalReceived') return event;
  throw new Error(`event ${event.sequence} is ${event.kind}, and decides no approval`);
}
