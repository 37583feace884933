import { useState } from 'react';

const PREFIX = 'svc-decision:';

/** A half-written comment, kept for the tab, so that a reload or another approval loses nothing. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const place = `${PREFIX}${key}`;
  const [text, setText] = useState(() => sessionStorage.getItem(place) ?? '');
  const write = (next: string) => {
    setText(next);
    if (next === '') sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, next);
  };
  return [text, write];
}
