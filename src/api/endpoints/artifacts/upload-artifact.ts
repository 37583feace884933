import { uploadArtifact as upload } from '../../../shared/engine/artifacts/upload-artifact.ts';
import { z } from 'zod';

import { artifactName } from '../../../shared/domain/artifact.ts';
import { defineEndpoint } from '../../endpoint.ts';

export const uploadArtifact = defineEndpoint({
  name: 'upload-artifact',
  method: 'POST',
  path: '/artifacts',
  access: 'work',
  summary: 'Uploads an artifact',
  note:
    'The body is the content, of any type, up to `artifacts.max_bytes`; it is stored as it ' +
    'arrives. The same content again gives the same answer. `{"$artifact": "<hash>"}` in an ' +
    'output or a state patch refers to it.',
  uploads: 'The content.',
  replies: {
    201: z.object({
      hash: z.string().meta({ description: '`sha256:` and 64 lowercase hex digits.' }),
      size: z.int().meta({ description: 'Bytes.' }),
      content_type: z.string().meta({ description: 'As it was sent first.' }),
    }),
  },
  async handle(request, { engine, settings }) {
    const bytesMax = settings.artifactBytesMax;
    const content = { ...request.content(), bytesMax };
    const artifact = await upload(engine, request.caller, content);
    const { hash, size, contentType } = artifact;
    return { status: 201, body: { hash: artifactName(hash), size, content_type: contentType } };
  },
});
