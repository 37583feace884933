import { decodeState, encodeState } from '../../../domain/execution/state-codec.ts';
import type {
  KeySetting,
  KeySettings,
  SettingCause,
} from '../../../domain/execution/timeline/key-settings.ts';
import type { FoldedState } from './state-folds.ts';

/** A checkpoint as text: who set what in the first line, and the state in the second. */
export function encodeCheckpoint({ state, settings }: FoldedState): string {
  const who: WhoSetWhat = { keys: [...settings.keys], causes: [...settings.causes] };
  return `${JSON.stringify(who)}\n${encodeState(state)}`;
}

export function decodeCheckpoint(text: string): FoldedState {
  const end = text.indexOf('\n');
  const who = JSON.parse(text.slice(0, end)) as WhoSetWhat;
  const settings: KeySettings = { keys: new Map(who.keys), causes: new Map(who.causes) };
  return { state: decodeState(text.slice(end + 1)), settings, event: null };
}

interface WhoSetWhat {
  readonly keys: readonly (readonly [string, KeySetting])[];
  readonly causes: readonly (readonly [string, SettingCause])[];
}
