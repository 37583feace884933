import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { fetchApi } from '../api/client.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/controls/dialog.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { ActionError } from '../ui/feedback/states.tsx';
import styles from './sign-in.module.css';

/** The page of a browser without a session. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Sign in to svc</h1>
        <SignInForm onSignedIn={onSignedIn} />
      </div>
    </main>
  );
}

/** Asks above the page that the person is on: it keeps what the person typed there. */
export function SignInAgain({ onSignedIn }: { readonly onSignedIn: () => void }) {
  return (
    <Dialog
      open
      onClose={() => location.reload()}
      title="Your session has ended"
      description="Sign in again to continue. This page keeps what you typed."
    >
      <SignInForm onSignedIn={onSignedIn} />
    </Dialog>
  );
}

/** Exchanges a token for a session's cookie; no script can read the cookie. */
function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [token, setToken] = useState('');
  const signIn = useMutation({
    mutationFn: () =>
      fetchApi('session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: token.trim() }),
      }),
    onSuccess: onSignedIn,
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <TextField
        label="Token"
        type="password"
        autoComplete="current-password"
        required
        value={token}
        onChange={(event) => setToken(event.target.value)}
        hint={
          <>
            Make one with <code>svc token create --name NAME --role ROLE</code>.
          </>
        }
      />
      <ActionError error={signIn.error} />
      <Button kind="primary" type="submit" busy={signIn.isPending} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
}
