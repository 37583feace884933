import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';

const RETRY_MS_MAX = 5_000;
/** The key of `GET /whoami`. */
export const WHO: readonly [string] = ['whoami'];

/** Readings are tried again while the service is away; a refusal is final. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== WHO[0]) askWhoOn(error);
    },
  }),
  mutationCache: new MutationCache({ onError: askWhoOn }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => isOutage(error) && failures < 1_000,
      retryDelay: (failures) => Math.min(500 * 2 ** Math.min(failures, 5), RETRY_MS_MAX),
      // A page that the browser thinks is offline may still reach a service on this machine.
      networkMode: 'always',
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always' },
  },
});

/** The session may have ended: then the next answer of `whoami` is a 401 too, and the gate asks. */
function askWhoOn(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  // Nobody has signed in yet: a wrong token is the form's own matter.
  if (queryClient.getQueryData(WHO) === undefined) return;
  void queryClient.invalidateQueries({ queryKey: WHO });
}

function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 503);
}
