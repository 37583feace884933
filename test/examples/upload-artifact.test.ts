import { openAsBlob } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { uploadArtifact } from '../../examples/workers/node/upload-artifact.ts';
import { startTestApi } from '../api/support/test-api.ts';

const FILE = fileURLToPath(import.meta.url);

test('a stream is sent, and a reference to it comes back', async (t) => {
  const server = await startTestApi();
  t.teardown(() => server.close());
  const api = { url: `${server.url}/`, token: server.operatorToken };
  const file = await openAsBlob(FILE);
  const reference = await uploadArtifact(api, { body: file.stream(), contentType: 'text/plain' });
  t.like(reference, { size: file.size, content_type: 'text/plain' });
  const read = await fetch(`${server.url}/artifacts/${reference.$artifact}`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  t.is(await read.text(), await file.text());
});

test('a refusal fails the attempt with the reason', async (t) => {
  const server = await startTestApi({ artifactBytesMax: 10 });
  t.teardown(() => server.close());
  const api = { url: server.url, token: server.operatorToken };
  const content = { body: 'more than ten', contentType: 'text/plain' };
  await t.throwsAsync(uploadArtifact(api, content), {
    message: 'upload refused: payload too large: the artifact is larger than 10 bytes',
  });
});
