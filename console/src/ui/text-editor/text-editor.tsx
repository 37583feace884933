import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';

import styles from './text-editor.module.css';
import { editorTheme } from './theme.ts';
import { useShadow } from './use-shadow.ts';

/** A finding about a place of the text; both count from 1. */
export interface EditorMark {
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface TextEditorHandle {
  /** Moves the caret there and shows it. */
  readonly goTo: (line: number, column: number) => void;
  /** Replaces the whole text; an undo brings it back. */
  readonly replace: (text: string) => void;
}

export interface TextEditorProps {
  readonly label: string;
  /** The text at first. Later the editor owns it: a slow render must not undo a keystroke. */
  readonly initial: string;
  readonly language: 'yaml' | 'json';
  readonly onChange: (text: string) => void;
  readonly marks: readonly EditorMark[];
  readonly complete?: CompletionSource;
  readonly ref?: Ref<TextEditorHandle>;
}

/** An editor of YAML or JSON. Escape, then Tab leaves it by keyboard. */
export function LoadedEditor(props: TextEditorProps) {
  const { label, initial, language, onChange, marks, complete, ref } = props;
  const view = useRef<EditorView | null>(null);
  const languages = useRef(new Compartment());
  const latest = useRef({ onChange, complete });
  useEffect(() => {
    latest.current = { onChange, complete };
  });
  const host = useShadow((root) => {
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          lineNumbers(),
          history(),
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          closeBrackets(),
          autocompletion({
            override: [(context) => latest.current.complete?.(context) ?? null],
          }),
          lintGutter(),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          languages.current.of(language === 'json' ? json() : yaml()),
          EditorView.contentAttributes.of({
            'aria-label': label,
            spellcheck: 'false',
            tabindex: '0',
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
          editorTheme,
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  });
  useEffect(() => {
    const effect = languages.current.reconfigure(language === 'json' ? json() : yaml());
    view.current?.dispatch({ effects: effect });
  }, [language]);
  useEffect(() => {
    const { current } = view;
    if (current === null) return;
    const found = marks.map((mark) => diagnosticOf(current.state.doc, mark));
    current.dispatch(setDiagnostics(current.state, found));
  }, [marks]);
  useImperativeHandle(ref, () => ({
    goTo: (line, column) => {
      const { current } = view;
      if (current === null) return;
      const anchor = offsetOf(current.state.doc, line, column);
      current.dispatch({ selection: { anchor }, scrollIntoView: true });
      current.focus();
    },
    replace: (text) => {
      const { current } = view;
      current?.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
    },
  }));
  return <div ref={host} className={styles.editor} />;
}

function diagnosticOf(doc: Text, { line, column, severity, message }: EditorMark): Diagnostic {
  const from = offsetOf(doc, line, column);
  const rest = doc.lineAt(from).text.slice(from - doc.lineAt(from).from);
  const length = /^[^,}\]\n]*/.exec(rest)?.[0].trimEnd().length ?? 0;
  return { from, to: from + Math.max(0, length), severity, message };
}

/** The text may have become shorter since the finding. */
function offsetOf(doc: Text, line: number, column: number): number {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(at.from + Math.max(0, column - 1), at.to);
}
