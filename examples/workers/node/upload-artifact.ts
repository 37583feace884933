import type { Api, JsonObject } from './send.ts';

/**
 * Sends a content that is too large for an output, and gives the reference that replaces it there.
 * It is not sent again when it fails, as a stream can be read once: the attempt fails instead, and
 * the same content in the next one is the same artifact.
 */
export async function uploadArtifact(
  api: Api,
  content: {
    readonly body: NonNullable<RequestInit['body']>;
    readonly contentType: string;
    readonly signal?: AbortSignal;
  },
): Promise<Reference> {
  const { body, contentType, signal } = content;
  const response = await fetch(`${api.url.replace(/\/+$/, '')}/artifacts`, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      ...(api.token !== null && { authorization: `Bearer ${api.token}` }),
    },
    body,
    // A stream is sent as it comes, before there is an answer.
    duplex: 'half',
    ...(signal && { signal }),
  });
  const answer = (await response.json()) as Stored & { readonly error?: string };
  if (response.status !== 201) throw new Error(`upload refused: ${answer.error ?? 'no reason'}`);
  const { hash, size, content_type } = answer;
  return { $artifact: hash, size, content_type };
}

/** Stands for the content in an output. */
export interface Reference extends JsonObject {
  readonly $artifact: string;
}

interface Stored {
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
}
