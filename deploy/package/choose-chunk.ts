import { join } from 'node:path';

/** The bundler's knowledge of its modules. */
export interface ModuleGraph {
  getModuleInfo(id: string): {
    readonly isEntry: boolean;
    readonly importedIds: readonly string[];
    readonly dynamicallyImportedIds: readonly string[];
  } | null;
}

/**
 * Chooses the chunk of each module that a start loads: the modules that the same of these parts reach
 * are one chunk. A module is reached by all that reaches its importers, so chunks never import each
 * other in a circle. The bundler alone would make a chunk for each set of commands that share
 * something, and a start would load a hundred.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  version: ['bin/svc.ts'],
  cli: ['bin/cli/create-program.ts', 'bin/boot/run-program.ts', 'bin/boot/create-role-program.ts'],
  serve: ['bin/commands/dev.ts', 'bin/commands/serve.ts'],
  sqlite: [
    'src/shared/store/sqlite/open.ts',
    'src/shared/store/sqlite/connection/migrator.ts',
    'src/shared/store/sqlite/connection/process-lock.ts',
  ],
  task: ['decide', 'read-document', 'scan-vectors', 'simulate', 'validate-schema'].map(
    (name) => `src/scheduler/pool/tasks/${name}.ts`,
  ),
};
/**
 * All commands load what `cli` reaches, so whether others reach it too makes no other chunk; and so on.
 * Worker threads and the library load none of the command line.
 */
const TELLING_APART: readonly (readonly [string, ...string[]])[] = [
  ['version', 'task', 'library'],
  ['cli', 'task', 'library'],
  ['serve', 'task', 'client', 'other'],
];
/** Commands that call a runtime over HTTP should load none of its code. */
const CLIENT = ['client', 'management', 'overview', 'resource'].map(
  (name) => `bin/cli/declare/${name}-commands.ts`,
);
/** They load it before they act. */
const BEFORE_CLIENT = 'bin/cli/prepare-command.ts';
/** All other commands, and what is loaded on demand, should load only the code that they use. */
const RUNTIME = 'src/runtime/boot.ts';
const LIBRARY = 'src/index.ts';

export function chooseChunk(root: string): (id: string, graph: ModuleGraph) => string | null {
  let chunks: ReadonlyMap<string, string> | null = null;
  return (id, graph) => {
    chunks ??= nameChunks(root, graph);
    return chunks.get(id) ?? null;
  };
}

function nameChunks(root: string, graph: ModuleGraph): ReadonlyMap<string, string> {
  const atStart = Object.entries(PARTS).map(([part, paths]) => ({
    part,
    reached: reach(
      paths.map((path) => join(root, path)),
      graph,
    ),
  }));
  const parts = [...atStart, ...findOtherParts(root, graph)];
  const chunks = new Map<string, string>();
  for (const id of new Set(atStart.flatMap(({ reached }) => [...reached]))) {
    // An entry is a chunk of its own: what it runs must not run with others.
    if (graph.getModuleInfo(id)?.isEntry === true) continue;
    const reachedBy = parts.filter(({ reached }) => reached.has(id)).map(({ part }) => part);
    const told = TELLING_APART.find(([first]) => reachedBy.includes(first)) ?? reachedBy;
    chunks.set(id, reachedBy.filter((part) => told.includes(part)).join('-'));
  }
  return chunks;
}

interface Part {
  readonly part: string;
  readonly reached: ReadonlySet<string>;
}

function findOtherParts(root: string, graph: ModuleGraph): readonly Part[] {
  const named = Object.values(PARTS).flatMap((paths) => paths.map((path) => join(root, path)));
  const client = CLIENT.flatMap(
    (path) => graph.getModuleInfo(join(root, path))?.dynamicallyImportedIds ?? [],
  ).concat(join(root, BEFORE_CLIENT));
  const other = findOnDemand(named, graph)
    .filter((id) => !named.includes(id) && !client.includes(id))
    .filter((id) => !reach([id], graph).has(join(root, RUNTIME)));
  return [
    { part: 'client', reached: reach(client, graph) },
    { part: 'other', reached: reach(other, graph) },
    { part: 'library', reached: reach([join(root, LIBRARY)], graph) },
  ];
}

function reach(from: Iterable<string>, graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set(from);
  // Grows while it is walked.
  for (const id of reached) {
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  }
  return reached;
}

/** The modules that something imports on demand. */
function findOnDemand(from: Iterable<string>, graph: ModuleGraph): readonly string[] {
  const found = new Set<string>();
  const seen = new Set(from);
  for (const id of seen) {
    const info = graph.getModuleInfo(id);
    for (const imported of info?.importedIds ?? []) seen.add(imported);
    for (const imported of info?.dynamicallyImportedIds ?? []) {
      seen.add(imported);
      found.add(imported);
    }
  }
  return [...found];
}
