import { useEffect, useRef, type RefObject } from 'react';

/**
 * A shadow root below the element, made once. CodeMirror adds its styles as sheets there, where the
 * content security policy allows them; in the page it would add a `style` element, which it refuses.
 */
export function useShadow(
  fill: (root: ShadowRoot) => () => void,
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const filler = useRef(fill);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    return filler.current(root);
  }, []);
  return host;
}
