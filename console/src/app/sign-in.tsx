import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { fetchApi } from '../api/client.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { ActionError } from '../ui/feedback/states.tsx';
import styles from './sign-in.module.css';

/** Exchanges a token for a session's cookie; no script can read the cookie. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
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
    <main className={styles.page}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <h1>Sign in to svc</h1>
        <TextField
          label="Token"
          type="password"
          autoComplete="current-password"
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          hint={
            <>
              Make one with <code>svc token create</code>.
            </>
          }
        />
        <ActionError error={signIn.error} />
        <Button kind="primary" type="submit" busy={signIn.isPending} disabled={token.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
