import { lazy } from 'react';

/** The editor of texts is large to load, so it comes when a page first shows one. Wrap in `Suspense`. */

/** The difference of two texts, line by line. */
export const TextDiff = lazy(async () => ({
  default: (await import('./text-diff.tsx')).LoadedDiff,
}));
