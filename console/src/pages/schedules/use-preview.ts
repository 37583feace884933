import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { timingOf, type ScheduleForm } from './schedule-form.ts';

const SHOWN = 5;
const QUIET_MS = 250;

/** The next fires of the timing in the form, and its problem with the field that has it. */
export interface Preview {
  readonly fires: readonly string[];
  readonly problem: { readonly at: 'timing' | 'timezone'; readonly text: string } | null;
}

/** Reads the preview when nobody has typed for a moment. */
export function usePreview(form: ScheduleForm): Preview {
  const timing = useSettled(JSON.stringify(timingOf(form)));
  const query = useQuery({
    queryKey: ['schedules', 'preview', timing],
    queryFn: ({ signal }) =>
      call('preview-schedule', { body: { ...JSON.parse(timing), count: SHOWN }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 10_000,
  });
  const { error } = query;
  if (error === null) return { fires: query.data?.next_fires ?? [], problem: null };
  const text = error.message.replace(/^bad request: /, '');
  const at = text.startsWith('timezone') ? 'timezone' : 'timing';
  const isRefused = error instanceof ApiError && error.status === 400;
  return { fires: [], problem: isRefused ? { at, text } : null };
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
