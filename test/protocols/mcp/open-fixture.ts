import { startTestApi, type TestApi } from '../../api/support/test-api.ts';
import { openDatabase } from '../../fuzz/open-target.ts';
import { addFixtureTools } from './fixture-tools.ts';

/** The API with the kit's own tools beside its own, and no token asked for. */
export async function openFixture(): Promise<Pick<TestApi, 'url' | 'close'>> {
  const database = await openDatabase('sqlite');
  // What a run of the tests sets for all of its files.
  process.env['TEST_SQLITE_TEMPLATE'] = database.url.slice('sqlite:'.length);
  const api = await startTestApi({ auth: { enabled: false }, extendMcp: addFixtureTools });
  return {
    url: api.url,
    async close() {
      await api.close();
      await database.close();
    },
  };
}
