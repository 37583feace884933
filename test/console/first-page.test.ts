import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const DIST = fileURLToPath(new URL('../../console/dist/', import.meta.url));
const GZIP_BYTES_MAX = 500_000;
const LATER = /elk-worker|workflow-graph|text-editor|use-shadow/;

story(
  'the first page loads less than 500 kB, and graph and editor load later',
  async (t, place) => {
    const { page, open } = place;
    const files = new Set<string>();
    page.on('request', (request) => {
      const [, file] = /\/console\/(assets\/[^?]+)$/.exec(request.url()) ?? [];
      if (file !== undefined) files.add(file);
    });
    await open('executions');
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    await page.getByText('Nothing has run yet').waitFor();
    const first = [...files];
    const sizes = await Promise.all(first.map(gzipBytes));
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    t.log(`${first.length} files, ${Math.round(total / 1000)} kB`);
    t.true(total > 50_000, 'the page loads files of the build');
    t.true(total < GZIP_BYTES_MAX, `${total} bytes: ${first.join(' ')}`);
    t.deepEqual(
      first.filter((file) => LATER.test(file)),
      [],
    );
    await page.goto(place.at('editor'));
    await page.getByRole('textbox').first().waitFor();
    t.true([...files].some((file) => LATER.test(file)));
  },
);

/** Bytes of a file as it is sent compressed; small ones are sent as they are. */
async function gzipBytes(file: string): Promise<number> {
  const { size } = await stat(`${DIST}${file}.gz`).catch(() => stat(DIST + file));
  return size;
}
