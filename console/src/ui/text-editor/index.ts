import { lazy } from 'react';

import { loadModule } from '../../api/load-module.ts';

export type { EditorMark, TextEditorHandle, TextEditorProps } from './text-editor.tsx';

/** The editor of texts is large to load, so it comes when a page first shows one. Wrap in `Suspense`. */
export const TextEditor = lazy(async () => ({
  default: (await loadModule(() => import('./text-editor.tsx'))).LoadedEditor,
}));

/** The difference of two texts, line by line. */
export const TextDiff = lazy(async () => ({
  default: (await loadModule(() => import('./text-diff.tsx'))).LoadedDiff,
}));
