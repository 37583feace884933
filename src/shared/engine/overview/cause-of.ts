import { createHash } from 'node:crypto';

import type { FailureCause, NewDeadLetter } from '../../store/commit.ts';
import { normaliseError } from './normalise-error.ts';

const BYTES = 6;

/** The class and the key that a commit keeps of a failure beside its message. */
export function causeOf(error: string, errorClass: string): FailureCause {
  const hash = createHash('sha256').update(normaliseError(error)).digest();
  return { errorClass, causeKey: hash.readUIntBE(0, BYTES) };
}

/** The dead letter of a last attempt, with its cause. */
export function deadLetterOf({
  errorClass,
  ...letter
}: Omit<NewDeadLetter, 'causeKey'>): NewDeadLetter {
  return { ...letter, ...causeOf(letter.error, errorClass) };
}
