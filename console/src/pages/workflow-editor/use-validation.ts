import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';

export type Validation = ReplyOf<'validate-workflow'>;
export type Finding = Validation['problems'][number];

const PAUSE_MS = 350;

/** The service's answer to a text, a moment after the last keystroke. */
export function useValidation(text: string) {
  const settled = useSettled(text, PAUSE_MS);
  const query = useQuery({
    queryKey: ['validate-workflow', settled],
    queryFn: ({ signal }) => call('validate-workflow', { body: { text: settled }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
    enabled: settled.trim() !== '',
  });
  return {
    validation: query.data ?? null,
    error: query.error,
    /** The answer is about the text as it is now. */
    isCurrent: settled === text && !query.isPlaceholderData && query.data !== undefined,
    /** Asks again: a registration changes what another one would do. */
    refresh: () => void query.refetch(),
    settled,
  };
}

/** The value once it has not changed for a while. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
