import type { CallOptions, Transport } from '../transport.ts';

/** `client.artifacts`: large values, by their hashes. */
export function createArtifacts({ call, send }: Transport) {
  return {
    /** `contentType`: as it is answered later; `application/octet-stream` when absent. */
    upload: (
      content: Uint8Array | string,
      { contentType, ...options }: CallOptions & { readonly contentType?: string } = {},
    ) =>
      call('upload-artifact', {
        ...options,
        content,
        headers: { 'content-type': contentType ?? 'application/octet-stream' },
      }),
    download: async (hash: string, options: CallOptions = {}) => {
      const { bytes, headers } = await send('download-artifact', {
        ...options,
        path: { hash },
        headers: { accept: '*/*' },
      });
      return { bytes, contentType: headers.get('content-type') };
    },
  };
}
