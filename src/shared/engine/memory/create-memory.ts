import { addFact } from './add-fact.ts';
import type { MemoryDeps } from './deps.ts';
import { forget } from './forget.ts';
import type { Memory } from './memory.ts';
import { recall } from './recall.ts';
import { changeSettings, readSettings, saveSettings, testSettings } from './settings.ts';
import { readStats } from './stats.ts';

export function createMemory(deps: MemoryDeps): Memory {
  return {
    readSettings: (params) => readSettings(deps, params),
    saveSettings: (params) => saveSettings(deps, params),
    changeSettings: (params) => changeSettings(deps, params),
    testSettings: (params) => testSettings(deps, params),
    addFact: (params) => addFact(deps, params),
    recall: (params) => recall(deps, params),
    forget: (params) => forget(deps, params),
    listFacts: (params) => deps.store.list(params),
    readStats: (params) => readStats(deps, params),
  };
}
