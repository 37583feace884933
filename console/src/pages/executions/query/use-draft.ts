import { useEffect, useEffectEvent, useRef, useState } from 'react';

const PAUSE_MS = 400;

/**
 * The text that somebody types, and the value that follows it after a pause. A value that changes
 * elsewhere, such as by the browser's way back, replaces the text.
 */
export function useDraft(
  value: string,
  commit: (value: string) => void,
): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState(value);
  const sent = useRef(value);
  const send = useEffectEvent(commit);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setDraft(value);
  }, [value]);
  useEffect(() => {
    if (draft === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = draft;
      send(draft);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return [draft, setDraft];
}
