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
  const status = error instanceof ApiError ? error.status : null;
  const isForbidden = status === 403;
  return (
    <div className={styles.state} role="alert">
      <h2>{titleOf(status)}</h2>
      <p>{messageOf(error)}</p>
      {status === 404 ? (
        <p>
          Check the id in the address. It may also belong to another tenant, or retention may have
          removed it.
        </p>
      ) : null}
      {requestId === null ? null : (
        <p>
          Request <Copyable text={requestId} label="request id" />
        </p>
      )}
      {onRetry === undefined || isForbidden ? null : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

function titleOf(status: number | null): string {
  switch (status) {
    case 403:
      return 'Your role may not read this';
    case 404:
      return 'There is nothing at this address';
    default:
      return 'This could not be read';
  }
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
