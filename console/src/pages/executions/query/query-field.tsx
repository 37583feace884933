import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';

import type { QueryProblem } from '../../../../../src/shared/domain/execution/query/problem.ts';
import { classNames } from '../../../ui/class-names.ts';
import { completeQuery, type Completion } from './complete-query.ts';
import styles from './query-field.module.css';

/** The query of the list, with words to choose from and its problems at their place. */
export function QueryField({
  query,
  problems,
  workflows,
  onChange,
}: {
  readonly query: string;
  readonly problems: readonly QueryProblem[];
  /** Ids that a value may have. */
  readonly workflows: readonly string[];
  readonly onChange: (query: string) => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(query.length);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const completions = isOpen ? completeQuery(query, caret, workflows) : [];
  const choose = (completion: Completion) => {
    // At once: the next key belongs after the word.
    flushSync(() => {
      onChange(completion.query);
      setCaret(completion.caret);
      setActive(-1);
    });
    input.current?.focus();
    input.current?.setSelectionRange(completion.caret, completion.caret);
  };
  const press = (event: KeyboardEvent) => {
    const chosen = completions[active];
    if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (completions.length === 0) return setOpen(true);
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + completions.length) % completions.length);
    } else if (event.key === 'Enter') {
      if (chosen === undefined) return setOpen(false);
      event.preventDefault();
      choose(chosen);
    }
  };
  const shown = problems.length > 0 && !(isOpen && completions.length > 0) ? problems : [];
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        Query
      </label>
      <div className={styles.box}>
        <input
          id={id}
          ref={input}
          type="text"
          role="combobox"
          className={styles.input}
          value={query}
          placeholder='status = failed and error ~ "timeout" and started > -2h'
          autoComplete="off"
          spellCheck={false}
          aria-autocomplete="list"
          aria-expanded={completions.length > 0}
          aria-controls={`${id}-words`}
          aria-activedescendant={active >= 0 ? `${id}-word-${active}` : undefined}
          aria-invalid={shown.length > 0 || undefined}
          aria-describedby={`${id}-problems`}
          onChange={(event) => {
            onChange(event.target.value);
            setCaret(event.target.selectionStart ?? event.target.value.length);
            setActive(-1);
            setOpen(true);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={press}
        />
        <div
          id={`${id}-words`}
          role="listbox"
          aria-label="Words"
          className={completions.length > 0 ? styles.words : 'visually-hidden'}
        >
          {completions.map((completion, index) => (
            <div
              key={completion.word}
              id={`${id}-word-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={classNames(styles.word, index === active && styles.active)}
              onMouseDown={(event) => {
                event.preventDefault();
                choose(completion);
              }}
            >
              {completion.word}
            </div>
          ))}
        </div>
      </div>
      <Problems id={`${id}-problems`} query={query} problems={shown} />
    </div>
  );
}

/** Each problem under a copy of the query in which its place is marked. */
function Problems({
  id,
  query,
  problems,
}: {
  readonly id: string;
  readonly query: string;
  readonly problems: readonly QueryProblem[];
}) {
  const [first] = problems;
  return (
    <div id={id} role="status" className={styles.problems}>
      {first === undefined ? null : (
        <>
          <code className={styles.place} aria-hidden="true">
            {query.slice(0, first.position)}
            <mark className={styles.mark}>
              {query.slice(first.position, first.position + first.length) || '␣'}
            </mark>
            {query.slice(first.position + first.length)}
          </code>
          <p>
            Character {first.position + 1}: {first.message}
            {first.expected.length === 0 ? '' : `. Possible: ${first.expected.join(', ')}`}
          </p>
        </>
      )}
    </div>
  );
}
