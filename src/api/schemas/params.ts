import { z } from 'zod';

/** Any text: an id of an unknown form is an unknown id, answered with 404 like any other. */
export function idParam(description: string) {
  return z.object({ id: z.string().meta({ description }) });
}

export const executionParam = idParam(
  'Execution id as the service gave it; the bare UUID, with or without hyphens, is accepted too.',
);
