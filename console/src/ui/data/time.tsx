import { useEffect, useState } from 'react';

import { useTimeZone } from '../../app/preferences.ts';
import { formatDuration, formatInstant, formatRelative } from './format-time.ts';

/** An instant, relative to now; the absolute one shows on hover and is read by screen readers. */
export function Time({
  at,
  now,
}: {
  /** ISO 8601. */
  readonly at: string;
  /** Milliseconds; absent: the time now, kept up to date. */
  readonly now?: number;
}) {
  const zone = useTimeZone();
  const current = useNow(now);
  const absolute = formatInstant(at, zone);
  return (
    <time dateTime={at} title={absolute}>
      {formatRelative(Date.parse(at) - current)}
    </time>
  );
}

/** An instant in the chosen time zone. */
export function AbsoluteTime({ at }: { readonly at: string }) {
  const zone = useTimeZone();
  return <time dateTime={at}>{formatInstant(at, zone)}</time>;
}

/** A span of time, or the time since its beginning while it has no end. */
export function DurationText({ from, to }: { readonly from: string; readonly to: string | null }) {
  const now = useNow(to === null ? undefined : 0);
  const end = to === null ? now : Date.parse(to);
  return <>{formatDuration(Math.max(0, end - Date.parse(from)))}</>;
}

const TICK_MS = 1_000;

/** The time in milliseconds, moved on each second; a given one stands still. */
export function useNow(fixed?: number): number {
  const [now, setNow] = useState(() => fixed ?? Date.now());
  useEffect(() => {
    if (fixed !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [fixed]);
  return fixed ?? now;
}
