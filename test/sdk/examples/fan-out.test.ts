import test from 'ava';
import { createTestRuntime } from 'svc-sdk/testing';

import { defineThumbnails } from '../../../examples/typescript/recipes/fan-out.ts';

const IMAGES = 10_000;

test('the recipe fans out to 10 000 images, and resizes each once', async (t) => {
  t.timeout(110_000);
  const resized: string[] = [];
  const thumbnails = defineThumbnails(async (image) => {
    resized.push(image);
    return `${image}.small`;
  });
  await using runtime = await createTestRuntime({ functions: [thumbnails] });
  const images = Array.from({ length: IMAGES }, (_, index) => `image ${index}`);
  const { handle } = await runtime.start(thumbnails, { images });
  t.deepEqual(await handle.result(), { thumbnails: images.map((image) => `${image}.small`) });
  t.deepEqual(resized.toSorted(), images.toSorted());
});
