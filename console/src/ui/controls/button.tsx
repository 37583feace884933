import type { ButtonHTMLAttributes, Ref } from 'react';

import { classNames } from '../class-names.ts';
import styles from './button.module.css';

export type ButtonKind = 'normal' | 'primary' | 'danger' | 'quiet';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  /** The action runs: the button waits and says so to screen readers. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'normal', busy = false, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={classNames(styles.button, styles[kind], className)}
    />
  );
}
