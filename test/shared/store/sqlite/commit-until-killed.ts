import { executionIdFromUuid } from '../../../../src/shared/domain/ids.ts';
import { openSqliteStore } from '../../../../src/shared/store/sqlite/open.ts';
import { DEFAULT_TENANT } from '../../../../src/shared/domain/ids.ts';
import { commitOne } from '../contract/drive.ts';
import { makeEvent, makeItem, makeNewExecution, makePlan, makeTicket } from '../contract/make.ts';

/** Commits to one execution forever, and writes each acknowledged sequence to standard output. */
const [, , path = '', uuid = ''] = process.argv;
const store = await openSqliteStore({ path });
const execution = { executionId: executionIdFromUuid(uuid), tenantId: DEFAULT_TENANT };
await commitOne(store, makePlan(execution, { create: makeNewExecution() }));
for (;;) {
  const newItems = [makeItem(makeTicket(execution))];
  const plan = makePlan(execution, { events: [makeEvent(), makeEvent()], newItems });
  const { lastSequence } = await commitOne(store, plan);
  process.stdout.write(`${lastSequence}\n`);
}
