import { Badge } from '../../ui/data/badge.tsx';
import { Button } from '../../ui/controls/button.tsx';
import styles from './page.module.css';
import type { Finding, Validation } from './use-validation.ts';

const REGISTRATION = {
  new_workflow: 'a new workflow',
  new_version: 'a new version',
  new_revision: 'a new revision of this version',
  unchanged: 'no change: it is registered already',
} as const;

/** One line about the text: whether it can run, and the effect of a registration. */
export function ValidityLine({
  validation,
  isCurrent,
}: {
  readonly validation: Validation | null;
  readonly isCurrent: boolean;
}) {
  return (
    <p role="status" className={styles.validity}>
      {validation === null || !isCurrent ? (
        'Checking…'
      ) : validation.definition === null ? (
        <>
          <Badge tone="bad">cannot run</Badge> {count(validation.problems.length, 'problem')}
        </>
      ) : (
        <>
          <Badge tone="ok">valid</Badge> {validation.definition.workflow_id}{' '}
          {validation.definition.version}: registering it makes{' '}
          {REGISTRATION[validation.definition.registration]}
          {validation.warnings.length === 0
            ? ''
            : `, ${count(validation.warnings.length, 'warning')}`}
        </>
      )}
    </p>
  );
}

/** Every problem and warning, each a way to its place. */
export function ProblemList({
  validation,
  onGoTo,
}: {
  readonly validation: Validation | null;
  readonly onGoTo: (line: number, column: number) => void;
}) {
  if (validation === null) return null;
  const { problems, warnings } = validation;
  if (problems.length + warnings.length === 0) return <p>No problems and no warnings.</p>;
  return (
    <ul className={styles.problems}>
      {problems.map((found) => (
        <OneFinding
          key={`${found.pointer} ${found.message}`}
          found={found}
          tone="bad"
          onGoTo={onGoTo}
        />
      ))}
      {warnings.map((found) => (
        <OneFinding
          key={`${found.pointer} ${found.message}`}
          found={found}
          tone="wait"
          onGoTo={onGoTo}
        />
      ))}
    </ul>
  );
}

/** The last word before a registration, which warnings do not stop. */
export function WarningsBefore({ warnings }: { readonly warnings: Validation['warnings'] }) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings">
      <p>
        <strong>{count(warnings.length, 'warning')}</strong>: svc registers the definition as it is.
        Keep editing to correct it.
      </p>
      <ul className={styles.problems}>
        {warnings.map((found) => (
          <OneFinding key={`${found.pointer} ${found.message}`} found={found} tone="wait" />
        ))}
      </ul>
    </section>
  );
}

function OneFinding({
  found,
  tone,
  onGoTo,
}: {
  readonly found: Finding;
  readonly tone: 'bad' | 'wait';
  /** Absent: its place is not in sight. */
  readonly onGoTo?: (line: number, column: number) => void;
}) {
  const { line, column, pointer, message } = found;
  return (
    <li>
      <Badge tone={tone}>{tone === 'bad' ? 'problem' : 'warning'}</Badge>
      {line === null || onGoTo === undefined ? null : (
        <Button kind="quiet" onClick={() => onGoTo(line, column ?? 1)}>
          line {line}
        </Button>
      )}
      <span>
        <code>{pointer || '/'}</code>: {message}
      </span>
    </li>
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
