import type { Draft } from '../draft.ts';
import type { PauseScope } from '../event-payloads.ts';
import type { EventOf } from './event-of.ts';

export function foldPaused(draft: Draft, { payload }: EventOf<'ExecutionPaused'>): void {
  const { scope, by, reason = null } = payload;
  draft.pauses = [...withoutPause(draft, scope), { scope, by, reason }];
}

export function foldUnpaused(draft: Draft, { payload }: EventOf<'ExecutionResumed'>): void {
  draft.pauses = withoutPause(draft, payload.scope);
}

function withoutPause({ pauses }: Draft, scope: PauseScope): Draft['pauses'] {
  return pauses.filter((pause) => pause.scope !== scope);
}
