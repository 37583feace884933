import { openArtifact } from '../../../shared/engine/artifacts/open-artifact.ts';
import { Readable } from 'node:stream';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { isKnown } from '../../if-none-match.ts';

export const downloadArtifact = defineEndpoint({
  name: 'download-artifact',
  method: 'GET',
  path: '/artifacts/:hash',
  access: 'fetch',
  summary: 'Downloads an artifact by its hash',
  note:
    'The answer has the original content type, and browsers save it instead of showing it. A ' +
    'content never changes, so clients may cache it forever; `If-None-Match` with its `ETag` ' +
    'gets 304. A token of the role `worker` may read the artifacts that leased work items ' +
    'refer to.',
  params: z.object({
    hash: z.string().meta({ description: 'With or without `sha256:` before it.' }),
  }),
  replies: {},
  downloads: 'The content.',
  errors: [404],
  async handle(request, { engine }) {
    const { caller } = request;
    const { hash: name } = request.params;
    const onlyOfItems = caller.identity.role === 'worker';
    const opened = await openArtifact(engine, caller, { name, onlyOfItems });
    const { hash, size, contentType } = opened.artifact;
    const etag = `"${hash}"`;
    const headers = { ETag: etag, 'Cache-Control': 'private, max-age=31536000, immutable' };
    if (isKnown(request.header('If-None-Match'), etag)) return { status: 304, headers };
    return {
      status: 200,
      headers: {
        ...headers,
        // A browser never runs content from workers with this site's rights.
        'Content-Disposition': `attachment; filename="${hash}"`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
      },
      file: { contentType, bytes: size, content: Readable.from(opened.content()) },
    };
  },
});
