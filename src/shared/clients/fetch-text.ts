const BYTES_MAX = 1024 * 1024;

/**
 * Fetches a document that the configuration names, wherever it is. Redirects are not followed: the
 * address that was configured is the one that is trusted.
 */
export async function fetchText(
  url: string,
  options: { readonly signal: AbortSignal },
): Promise<string> {
  const { fetch } = await import('undici');
  const response = await fetch(url, {
    redirect: 'error',
    signal: options.signal,
    headers: { accept: 'application/json' },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) throw new Error(`${url} answered more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
