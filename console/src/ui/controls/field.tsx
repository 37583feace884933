import {
  useId,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';

import { classNames } from '../class-names.ts';
import styles from './field.module.css';

interface Shared {
  readonly label: string;
  /** Shown below, and read with the field. */
  readonly hint?: ReactNode;
  /** Shown below instead of the hint; marks the field as invalid. */
  readonly problem?: string | null;
  readonly hideLabel?: boolean;
}

export function TextField({
  label,
  hint,
  problem,
  hideLabel,
  className,
  ...rest
}: Shared & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Labelled {...{ label, hint, problem, hideLabel }}>
      {(ids) => (
        <input type="text" {...rest} {...ids} className={classNames(styles.input, className)} />
      )}
    </Labelled>
  );
}

export function TextArea({
  label,
  hint,
  problem,
  hideLabel,
  className,
  ...rest
}: Shared & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Labelled {...{ label, hint, problem, hideLabel }}>
      {(ids) => (
        <textarea
          rows={4}
          {...rest}
          {...ids}
          className={classNames(styles.input, styles.area, className)}
        />
      )}
    </Labelled>
  );
}

export function SelectField({
  label,
  hint,
  problem,
  hideLabel,
  options,
  className,
  ...rest
}: Shared &
  SelectHTMLAttributes<HTMLSelectElement> & {
    readonly options: readonly { readonly value: string; readonly label: string }[];
  }) {
  return (
    <Labelled {...{ label, hint, problem, hideLabel }}>
      {(ids) => (
        <select {...rest} {...ids} className={classNames(styles.input, className)}>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function CheckField({
  label,
  ...rest
}: { readonly label: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <span className={styles.check}>
      <input id={id} type="checkbox" {...rest} />
      <label htmlFor={id}>{label}</label>
    </span>
  );
}

interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

function Labelled({
  label,
  hint,
  problem,
  hideLabel,
  children,
}: {
  readonly [Key in keyof Shared]: Shared[Key] | undefined;
} & { readonly label: string; readonly children: (ids: FieldIds) => ReactElement }) {
  const id = useId();
  const below = problem ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': below ? `${id}-below` : undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {below ? (
        <span
          id={`${id}-below`}
          role={problem ? 'alert' : undefined}
          className={problem ? styles.problem : styles.hint}
        >
          {below}
        </span>
      ) : null}
    </div>
  );
}
