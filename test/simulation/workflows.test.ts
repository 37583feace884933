import test from 'ava';

import { isJsonObject, type JsonObject } from '../../src/shared/domain/json.ts';
import { servesTool } from '../../src/shared/domain/work/claim-filter.ts';
import { FILTERS } from './clients.ts';
import { FAIR, WORKFLOWS, type WorkflowName } from './workflows.ts';

test('a claim takes the items of all workflows with keys of fairness, or of none', (t) => {
  const tools = FAIR.flatMap(toolsOf);
  t.true(tools.length > FAIR.length, tools.join(' '));
  for (const filter of FILTERS) {
    const taken = tools.filter((tool) => servesTool(filter, tool));
    if (taken.length > 0) t.deepEqual(taken, tools, filter.tools?.join(' '));
  }
});

function toolsOf(name: WorkflowName): readonly string[] {
  return Object.values<JsonObject>(WORKFLOWS[name].nodes).flatMap(({ kind }) => {
    if (!isJsonObject(kind) || kind['type'] !== 'python_fn') return [];
    const { module, function: called } = kind as Readonly<Record<string, string>>;
    return [`${module}.${called}`];
  });
}
