import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The state of a page that its address carries: texts only, each page reads its own. */
export type Search = Readonly<Record<string, string>>;

/** Changes of that state; undefined or an empty text removes a member. */
export type SearchChange = Readonly<Record<string, string | undefined>>;

/** The page's part of the address, and a function that changes it. */
export function useSearchState(): readonly [
  Search,
  (change: SearchChange, how?: { readonly replace?: boolean }) => void,
] {
  const search = readSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback(
    (wanted: SearchChange, { replace = true } = {}) => {
      void navigate({
        to: '.',
        search: (previous: Record<string, unknown>) => merge(readSearch(previous), wanted),
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [search, change];
}

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(readSearch(search)).toString();
  return text === '' ? '' : `?${text}`;
}

export function readSearch(search: Record<string, unknown>): Search {
  return Object.fromEntries(
    Object.entries(search).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function merge(search: Search, change: SearchChange): Search {
  const merged = { ...search, ...change };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}
