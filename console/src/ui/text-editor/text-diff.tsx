import { json } from '@codemirror/lang-json';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';

import styles from './text-editor.module.css';
import { editorTheme } from './theme.ts';
import { useShadow } from './use-shadow.ts';

export interface TextDiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Shows the later text with the lines of the earlier one that it replaces. */
export function LoadedDiff(props: TextDiffProps) {
  const { label, before, after } = props;
  // Another pair of texts is another view.
  return <Diff key={JSON.stringify([label, before.length, after.length])} {...props} />;
}

function Diff({ label, before, after }: TextDiffProps) {
  const host = useShadow((root) => {
    const view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          json(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
          editorTheme,
        ],
      }),
    });
    return () => view.destroy();
  });
  return before === after ? (
    <p>The definitions are the same.</p>
  ) : (
    <div ref={host} className={styles.diff} />
  );
}
