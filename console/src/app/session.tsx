import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, type ReactNode } from 'react';

import { ApiError } from '../api/api-error.ts';
import { WHO } from '../api/query-client.ts';
import { fetchApi } from '../api/client.ts';
import { chooseTenant } from '../api/chosen-tenant.ts';
import { ErrorState, Loading } from '../ui/feedback/states.tsx';
import { SignIn, SignInAgain } from './sign-in.tsx';

/** Answer of `GET /whoami`. */
export interface WhoAmI {
  readonly tenant_id: string | null;
  readonly role: string;
  readonly name: string | null;
  readonly is_operator: boolean;
  /** False: the service asks nobody for a token, as under `svc dev`. */
  readonly authenticated: boolean;
  readonly version: string;
  /** The routes that the role may call; paths as in the API's document: `/executions/:id`. */
  readonly permissions: readonly { readonly method: string; readonly path: string }[];
}

export interface Session {
  readonly who: WhoAmI;
  /** Whether the role may call a route; what it may not is not offered. */
  readonly can: (method: string, path: string) => boolean;
  readonly signOut: () => Promise<void>;
}

const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession is used outside SessionGate');
  return session;
}

/** Shows its children to who is signed in, and the sign-in to anybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: WHO,
    queryFn: async ({ signal }): Promise<WhoAmI> => (await fetchApi('whoami', { signal })).json(),
    staleTime: 60_000,
  });
  const needsSignIn = query.error instanceof ApiError && query.error.status === 401;
  if (needsSignIn && query.data === undefined) {
    return <SignIn onSignedIn={() => void client.resetQueries()} />;
  }
  if (query.data === undefined) {
    if (query.error === null) return <Loading label="Opening the console…" />;
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  const who = query.data;
  const allowed = new Set(who.permissions.map(({ method, path }) => `${method} ${path}`));
  const session: Session = {
    who,
    can: (method, path) => allowed.has(`${method} ${path}`),
    signOut: async () => {
      await fetchApi('session', { method: 'DELETE' });
      chooseTenant(null);
      client.clear();
      await client.resetQueries();
      location.reload();
    },
  };
  return (
    <SessionContext value={session}>
      {children}
      {needsSignIn ? <SignInAgain onSignedIn={() => void client.invalidateQueries()} /> : null}
    </SessionContext>
  );
}
