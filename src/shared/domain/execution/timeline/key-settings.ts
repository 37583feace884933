import type { RecordedEvent } from '../event.ts';
import type { JsonObject } from '../../json.ts';

/** The event that set a key of the state. */
export interface KeySetting {
  readonly sequence: number;
  readonly nodeId: string | null;
  readonly kind: string;
  readonly actorId: string;
  readonly createdAt: string;
}

/** For each top-level key that a state has ever had: all that set or removed it, in order. */
export type KeySettings = Map<string, KeySetting[]>;

/** Records the keys that one event changed; untouched members of a state are shared. */
export function noteKeys(
  settings: KeySettings,
  {
    event,
    before,
    after,
  }: {
    readonly event: RecordedEvent;
    readonly before: JsonObject;
    readonly after: JsonObject;
  },
): void {
  if (before === after) return;
  const { sequence, nodeId, kind, actorId, createdAt } = event;
  const setting = { sequence, nodeId, kind, actorId, createdAt };
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key) || before[key] !== value) addSetting(settings, key, setting);
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) addSetting(settings, key, setting);
  }
}

/** The last one at or before a sequence. */
export function lastSetting(
  settings: KeySettings,
  key: string,
  upTo: number,
): KeySetting | undefined {
  return settings.get(key)?.findLast(({ sequence }) => sequence <= upTo);
}

function addSetting(settings: KeySettings, key: string, setting: KeySetting): void {
  const known = settings.get(key);
  if (known === undefined) settings.set(key, [setting]);
  else known.push(setting);
}
