import { text } from '../../domain/workflow/schema/fields.ts';
import { readText } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface LimitExceededSpec {
  readonly message: string | null;
}

/** Ends the execution as failed: what a loop leads to once it has run too often. */
export const limitExceededKind: RunnableKind<LimitExceededSpec> = {
  type: 'limit_exceeded',
  aliases: [],
  fields: { message: text('Why the execution ends.') },
  leaf: false,
  toolLike: false,

  parse(fields, at) {
    return { message: readText(fields, 'message', at) };
  },

  enter({ message }) {
    const error = message === null ? 'limit exceeded' : `limit exceeded: ${message}`;
    return { do: 'end', error, errorClass: 'limit_exceeded' };
  },
};
