import { useEffect, useRef } from 'react';

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/**
 * Calls a function for a key: `j`, `/`, `mod+k` (Control, or Command on a Mac). Keys without `mod`
 * are left to the field or the dialog that has the focus.
 */
export function useShortcuts(shortcuts: Shortcuts, enabled = true): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    if (!enabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const mod = event.ctrlKey || event.metaKey;
      if (event.defaultPrevented || event.altKey || (!mod && takesText(event.target))) return;
      const action = current.current[mod ? `mod+${event.key.toLowerCase()}` : event.key];
      if (action === undefined) return;
      event.preventDefault();
      action(event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [enabled]);
}

function takesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="dialog"]') !== null)
  );
}
