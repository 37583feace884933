import type { MessagePort } from 'node:worker_threads';

/** A task as it crosses to its thread. */
export interface AnnouncedTask<Input> {
  readonly input: Input;
  /** Gets one message when the task begins: from then on its time counts. */
  readonly began: MessagePort;
}

/** A task that says when it begins, which may be long after it was sent to a thread not up yet. */
export function announceStart<Input, Result>(
  run: (input: Input) => Result,
): (task: AnnouncedTask<Input>) => Result {
  return ({ input, began }) => {
    began.postMessage(null);
    began.close();
    return run(input);
  };
}
