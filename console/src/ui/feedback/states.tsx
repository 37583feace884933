import type { ReactNode } from 'react';

import { ApiError, messageOf } from '../../api/api-error.ts';
import { Button } from '../controls/button.tsx';
import { Copyable } from '../data/copyable.tsx';
import styles from './states.module.css';

/** There is nothing to show yet; the children teach the next step. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className={styles.state}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A reading failed: why, the request's id for the service's log, and a way to try again. */
export function ErrorState({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <div className={styles.state} role="alert">
      <h2>{isForbidden ? 'Your role may not read this' : 'This could not be read'}</h2>
      <p>{messageOf(error)}</p>
      {requestId === null ? null : (
        <p>
          Request <Copyable text={requestId} label="request id" />
        </p>
      )}
      {onRetry === undefined || isForbidden ? null : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** The refusal of an action, beside the button that asked for it. */
export function ActionError({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <p role="alert" className={styles.refused}>
      {messageOf(error)}
      {requestId === null ? null : <span className={styles.request}> (request {requestId})</span>}
    </p>
  );
}

export function Loading({ label = 'Reading…' }: { readonly label?: string }) {
  return (
    <p role="status" className={styles.loading}>
      {label}
    </p>
  );
}
