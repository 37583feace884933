import { useMemo, useRef, useState, Suspense } from 'react';
import { parseDocument, stringify } from 'yaml';

import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { ActionError, Loading } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { type EditorMark, TextEditor, type TextEditorHandle } from '../../ui/text-editor/index.ts';
import { WorkflowGraph } from '../../ui/workflow-graph/index.ts';
import { dropDraft, keepDraft } from './draft.ts';
import styles from './page.module.css';
import { ProblemList, ValidityLine } from './problem-list.tsx';
import { RegisterDialog } from './register-dialog.tsx';
import { SimulatePane } from './simulate-pane.tsx';
import { useCompletion } from './use-completion.ts';
import { useValidation } from './use-validation.ts';

type TabId = 'graph' | 'problems' | 'simulate';

export function Editor({
  title,
  draftName,
  original,
  initial,
}: {
  readonly title: string;
  readonly draftName: string;
  /** The text before any change; empty: it is not read yet. */
  readonly original: string;
  readonly initial: string;
}) {
  const { can } = useSession();
  const [text, setText] = useState(initial);
  const [tab, setTab] = useState<TabId>('graph');
  const [isRegistering, setRegistering] = useState(false);
  const editor = useRef<TextEditorHandle>(null);
  const { validation, error, isCurrent, settled, refresh } = useValidation(text);
  const complete = useCompletion();
  const marks = useMemo(() => marksOf(validation), [validation]);
  const drawn = useMemo(() => readLoosely(settled), [settled]);
  const change = (next: string) => {
    setText(next);
    keepDraft(draftName, next);
  };
  const problems = validation?.problems.length ?? 0;
  const language = /^\s*[{[]/.test(text) ? 'json' : 'yaml';
  const definition = validation?.definition ?? null;
  const goTo = (line: number, column: number) => editor.current?.goTo(line, column);
  return (
    <div className={styles.page}>
      <PageHeader title={title}>
        {text !== original && original !== '' ? (
          <Button
            onClick={() => {
              editor.current?.replace(original);
              dropDraft(draftName);
            }}
          >
            Discard changes
          </Button>
        ) : null}
        <Button onClick={() => editor.current?.replace(convert(text, language))}>
          {language === 'json' ? 'As YAML' : 'As JSON'}
        </Button>
        {can('POST', '/workflows') ? (
          <Button
            kind="primary"
            disabled={!isCurrent || definition === null}
            onClick={() => setRegistering(true)}
          >
            Register…
          </Button>
        ) : null}
      </PageHeader>
      <ValidityLine validation={validation} isCurrent={isCurrent} />
      <ActionError error={error} />
      <div className={styles.panes}>
        <div className={styles.writing}>
          <Suspense fallback={<Loading />}>
            <TextEditor
              ref={editor}
              label="Workflow definition"
              initial={initial}
              language={language}
              onChange={change}
              marks={marks}
              complete={complete}
            />
          </Suspense>
          <p className={styles.keys}>
            <kbd>Ctrl Space</kbd> completes, <kbd>F8</kbd> goes to the next problem, <kbd>Esc</kbd>{' '}
            <kbd>Tab</kbd> leaves the text.
          </p>
        </div>
        <div className={styles.seeing}>
          <Tabs
            label="Views of the definition"
            value={tab}
            onChange={setTab}
            tabs={[
              {
                id: 'graph',
                title: 'Graph',
                content: (
                  <div className={styles.graph}>
                    <Suspense fallback={<Loading />}>
                      <WorkflowGraph definition={drawn} label="Graph of the definition" />
                    </Suspense>
                  </div>
                ),
              },
              {
                id: 'problems',
                title: problems === 0 ? 'Problems' : `Problems (${problems})`,
                content: <ProblemList validation={validation} onGoTo={goTo} />,
              },
              {
                id: 'simulate',
                title: 'Simulate',
                content: <SimulatePane definition={definition} />,
              },
            ]}
          />
        </div>
      </div>
      {isRegistering && definition !== null ? (
        <RegisterDialog
          definition={definition}
          warnings={validation?.warnings ?? []}
          onClose={() => setRegistering(false)}
          onRegistered={() => {
            dropDraft(draftName);
            refresh();
          }}
        />
      ) : null}
    </div>
  );
}

function marksOf(validation: ReturnType<typeof useValidation>['validation']): EditorMark[] {
  if (validation === null) return [];
  const mark =
    (severity: EditorMark['severity']) =>
    (found: { line: number | null; column: number | null; message: string }): EditorMark => ({
      line: found.line ?? 1,
      column: found.column ?? 1,
      severity,
      message: found.message,
    });
  return [...validation.problems.map(mark('error')), ...validation.warnings.map(mark('warning'))];
}

/** The value of a text as far as it can be read: the graph follows an author who is still writing. */
function readLoosely(text: string): unknown {
  try {
    const value: unknown = parseDocument(text, { strict: false, logLevel: 'silent' }).toJS();
    return value;
  } catch {
    return null;
  }
}

function convert(text: string, from: 'json' | 'yaml'): string {
  const document = parseDocument(text, { logLevel: 'silent' });
  // A text that cannot be read stays as its author wrote it.
  if (document.errors.length > 0) return text;
  const value: unknown = document.toJS();
  return from === 'json'
    ? stringify(value, { lineWidth: 100 })
    : `${JSON.stringify(value, null, 2)}\n`;
}
