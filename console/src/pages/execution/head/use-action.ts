import { useMutation, useQueryClient } from '@tanstack/react-query';

import { notify } from '../../../ui/feedback/toast.tsx';

/** Readings that an action may change without an event. */
const CHANGED = ['read-execution', 'explain-execution', 'list-approvals', 'list-forks'] as const;

/** An action on the execution: says that it took effect, and reads again what may have changed. */
export function useAction<Given = void>(
  done: string,
  act: (given: Given) => Promise<unknown>,
  after: () => void = () => undefined,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: () => {
      notify(done);
      after();
    },
    onSettled: () =>
      Promise.all(CHANGED.map((name) => client.invalidateQueries({ queryKey: [name] }))),
  });
}

/** The service answers with success also when nothing waits any more, and then records nothing. */
export async function expectAccepted(
  answer: Promise<{ readonly accepted: boolean }>,
  otherwise: string,
): Promise<void> {
  const { accepted } = await answer;
  if (!accepted) throw new Error(otherwise);
}
