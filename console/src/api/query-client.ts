import { QueryClient } from '@tanstack/react-query';

import { ApiError } from './api-error.ts';

const RETRY_MS_MAX = 5_000;

/** Readings are tried again while the service is away; a refusal is final. */
export const queryClient = new QueryClient({
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

function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 503);
}
