import { defineFunction } from 'svc-sdk/worker';

export function defineThumbnails(resize: (image: string) => Promise<string>) {
  return defineFunction<{ images: string[] }, { thumbnails: string[] }>(
    'thumbnails',
    async (ctx, { images }) => ({
      thumbnails: await ctx.map(images, async (image) => ctx.step('resize', () => resize(image)), {
        name: 'images',
        concurrency: 5,
      }),
    }),
  );
}
