import type { FormEvent, ReactNode } from 'react';

import styles from './toolbar.module.css';

/** Filters in a row, which apply when the form is sent; narrow screens stack them. */
export function FilterBar({
  label,
  onApply,
  children,
}: {
  readonly label: string;
  /** Values of the fields by their names, without white space around them. */
  readonly onApply: (values: Readonly<Record<string, string>>) => void;
  readonly children: ReactNode;
}) {
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onApply(readForm(event.currentTarget));
  };
  return (
    <form role="search" aria-label={label} className={styles.bar} onSubmit={apply}>
      {children}
    </form>
  );
}

/** The texts of a form by the names of its fields. */
export function readForm(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() : '',
    ]),
  );
}
