import { startTestApi, type TestApi } from '../../api/support/test-api.ts';
import { openDatabase } from '../../fuzz/open-target.ts';
import { addFixtureTools } from './fixture-tools.ts';

/** Starts the API without authentication, with the tools of the kit besides its own. */
export async function openFixture(): Promise<Pick<TestApi, 'url' | 'close'>> {
  const database = await openDatabase('sqlite');
  // `npm test` sets this variable for all test files.
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
