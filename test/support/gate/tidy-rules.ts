import { posix } from 'node:path';
import { maskSource, readImports, type Import } from './read-source.ts';

/*
 * House rules that a program can check. Each takes all files of the repository and returns the
 * places that break it, so a test can prove it with a sample of three lines.
 */

export type RepositoryFile = {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

export type Rule = (files: readonly RepositoryFile[]) => readonly string[];

/**
 * The modules that the files of a folder may import. The first matching layer applies to a file.
 */
type Layer = {
  readonly folder: string;
  /**
   * Folders and files, relative to the root of the repository; absent: any file of the repository.
   */
  readonly own?: readonly string[];
  /** Like `own`, but only with `import type`. */
  readonly ownTypes?: readonly string[];
  readonly never?: readonly string[];
  /** Packages and `node:` modules; absent: any. Names in braces limit the import to those names. */
  readonly packages?: readonly string[];
  readonly typesOnly?: boolean;
};

const SHARED = 'src/shared/';
const STORE_INTERFACE = /^src\/shared\/store\/((readings|rows)\/)?[^/]+\.ts$/;
const STORE_INTERFACES = 'the store interfaces';
const ADAPTERS = [`${SHARED}store/postgres/`, `${SHARED}store/sqlite/`];
const ROLES = ['src/api/', 'src/scheduler/'];
const OUTSIDE = ['test/', 'bin/', 'bench/'];

const HASHING = ['node:crypto {createHash}', 'node:crypto {hash}'];

const LAYERS: readonly Layer[] = [
  {
    folder: `${SHARED}domain/expression/`,
    own: [`${SHARED}domain/`],
    // A pure parser.
    packages: [...HASHING, '@marcbachmann/cel-js'],
  },
  {
    folder: `${SHARED}domain/schedules/`,
    own: [`${SHARED}domain/`],
    // Parses cron expressions: without an action, it only computes.
    packages: [...HASHING, 'croner {Cron}'],
  },
  {
    folder: `${SHARED}domain/`,
    own: [`${SHARED}domain/`],
    packages: HASHING,
  },
  {
    folder: `${SHARED}nodes/`,
    own: [`${SHARED}nodes/`, `${SHARED}domain/`],
    ownTypes: [`${SHARED}ports/`],
    packages: [],
  },
  {
    folder: `${SHARED}ports/`,
    own: [`${SHARED}ports/`, `${SHARED}domain/`],
    packages: [],
    typesOnly: true,
  },
  {
    folder: `${SHARED}engine/`,
    own: ['engine/', 'nodes/', 'domain/', 'ports/']
      .map((name) => SHARED + name)
      .concat(STORE_INTERFACES),
  },
  { folder: ADAPTERS[0] ?? '', never: [...ROLES, ...OUTSIDE, ...ADAPTERS.slice(1)] },
  { folder: ADAPTERS[1] ?? '', never: [...ROLES, ...OUTSIDE, ...ADAPTERS.slice(0, 1)] },
  { folder: SHARED, never: [...ROLES, ...OUTSIDE] },
  { folder: 'src/api/', never: ['src/scheduler/', ...ADAPTERS, ...OUTSIDE] },
  { folder: 'src/scheduler/', never: ['src/api/', ...ADAPTERS, ...OUTSIDE] },
  { folder: 'bin/', never: ['test/', 'bench/'] },
  // Separate packages: they reach the service over HTTP, or through its exported names.
  { folder: 'sdk/', never: ['src/', ...OUTSIDE] },
];

export const keepLayers: Rule = (files) =>
  files.filter(isCode).flatMap((file) => {
    const layer = LAYERS.find(({ folder }) => file.path.startsWith(folder));
    if (layer === undefined) return [];
    return readImports(file.text)
      .map((found) => ({ found, reason: objectTo(layer, { file, found }) }))
      .filter(({ reason }) => reason !== null)
      .map(({ found, reason }) => `${file.path}:${found.line}: ${found.specifier}: ${reason}`);
  });

function objectTo(layer: Layer, given: { file: RepositoryFile; found: Import }): string | null {
  const { file, found } = given;
  if (layer.typesOnly === true && !found.isType) return `${layer.folder} imports types only`;
  if (!found.specifier.startsWith('.')) return objectToPackage(layer, found);
  const target = resolve(file, found);
  const within = (places: readonly string[]) =>
    places.some((place) =>
      place === STORE_INTERFACES ? STORE_INTERFACE.test(target) : target.startsWith(place),
    );
  if (layer.never !== undefined && within(layer.never)) {
    return `${layer.folder} must not import ${target}`;
  }
  const isAllowed = layer.own === undefined || within(layer.own);
  const isAllowedAsType = found.isType && layer.ownTypes !== undefined && within(layer.ownTypes);
  if (isAllowed || isAllowedAsType) return null;
  const also = layer.ownTypes === undefined ? '' : `, and types of ${layer.ownTypes.join(', ')}`;
  return `${layer.folder} imports only ${layer.own?.join(', ')}${also}`;
}

function objectToPackage(layer: Layer, found: Import): string | null {
  if (layer.packages === undefined) return null;
  for (const allowed of layer.packages) {
    const [name, names] = allowed.split(' ');
    if (found.specifier !== name) continue;
    if (names === undefined || found.clause.replaceAll(/[\s,]/g, '') === names) return null;
  }
  return `${layer.folder} imports no packages but ${layer.packages.join(', ') || 'none'}`;
}

/** The files that may import a database driver: its adapter, and the module that opens stores. */
const DRIVERS: Readonly<Record<string, string>> = {
  pg: `${SHARED}store/postgres/`,
  slonik: `${SHARED}store/postgres/`,
  'better-sqlite3': `${SHARED}store/sqlite/`,
};

export const nameDriversInAdaptersOnly: Rule = (files) =>
  files
    .filter((file) => isCode(file) && file.path.startsWith('src/'))
    .flatMap((file) =>
      readImports(file.text)
        .filter(({ specifier }) => {
          const home = DRIVERS[specifier];
          return home !== undefined && !file.path.startsWith(home);
        })
        .map(
          ({ specifier, line }) =>
            `${file.path}:${line}: ${specifier} belongs in ${DRIVERS[specifier]}`,
        ),
    );

/** Types may refer to each other in a cycle, because they disappear at run time. */
export const importWithoutCycles: Rule = (files) => {
  const graph = new Map(
    files
      .filter((file) => isCode(file) && /^(src|bin|sdk)\//.test(file.path))
      .map((file) => [
        file.path,
        readImports(file.text)
          .filter((found) => !found.isType && found.specifier.startsWith('.'))
          .map((found) => resolve(file, found)),
      ]),
  );
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    if (finished.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
};

const AMBIENT = [
  /\bDate\.now\b/,
  /\bnew Date\b(?!\s*\(\s*[^\s)])/,
  /\bMath\.random\b/,
  /\bset(Timeout|Interval|Immediate)\b/,
  /\bprocess\./,
  /\bperformance\.now\b/,
  /\bcrypto\.(randomUUID|getRandomValues)\b/,
  /(?<![.\w])fetch\s*\(/,
];

/** The only source of the engine's time, and an index that evicts unused entries. */
const HAS_TIME = new Set([
  'src/shared/engine/scheduling/timers.ts',
  'src/shared/engine/memory/vector-index.ts',
]);

export const takeTimeAndChanceAsArguments: Rule = (files) =>
  files
    .filter(({ path }) => /^src\/shared\/(domain|nodes|engine)\//.test(path))
    .filter((file) => isCode(file) && !HAS_TIME.has(file.path))
    .flatMap((file) =>
      matchLines({ path: file.path, text: maskSource(file.text), patterns: AMBIENT }).map(
        (found) => `${found} is not an argument`,
      ),
    );

/** The API reads and changes data only through use cases, so that each rule is in one place. */
export const reachStoresThroughUseCases: Rule = (files) =>
  files
    .filter((file) => isCode(file) && file.path.startsWith('src/api/'))
    .flatMap((file) =>
      matchLines({
        path: file.path,
        text: maskSource(file.text),
        patterns: [/\.store\b/, /\{[^}]*\bstore\b[^}]*\}\s*=/],
      }).map((found) => `${found} belongs in a use case`),
    );

/**
 * A command opens a store and passes it, or an area of it, to a use case. It calls only `close` of a
 * store, takes no area out of one, and names no interface of an area.
 */
export const commandsCallUseCases: Rule = (files) =>
  files
    .filter((file) => isCode(file) && file.path.startsWith('bin/'))
    .flatMap((file) =>
      matchLines({
        path: file.path,
        text: maskSource(file.text),
        patterns: [
          /\bstore\??\.(?!close\b)\w+(\??\.\w+)*\(/,
          /\{[^}]*\}\s*=\s*(await\s+)?(store|openStore|openInMemoryStore)\b/,
          /\bwith(Store|Retention)\([^=]*\(\{[^}]*\}[^)]*\)\s*=>/,
          /\b[A-Z]\w+Store\b(?!\w*\()/,
        ],
      }).map((found) => `${found} belongs in a use case`),
    );

export const keepMigrationsInStep: Rule = (files) => {
  const [postgres = [], sqlite = []] = ['postgres', 'sqlite'].map((dialect) =>
    files
      .map(({ path }) => path)
      .filter((path) => path.startsWith(`migrations/${dialect}/`))
      .map((path) => posix.basename(path))
      .toSorted(),
  );
  const all = [...new Set([...postgres, ...sqlite])].toSorted();
  return [
    ...all
      .filter((name) => !postgres.includes(name) || !sqlite.includes(name))
      .map((name) => `${name} is missing in one dialect`),
    ...all
      .filter((name) => !/^\d{4}_[a-z0-9]+(_[a-z0-9]+)*\.sql$/.test(name))
      .map((name) => `${name} is not named NNNN_title.sql`),
    ...postgres
      .filter((name, index) => Number(name.slice(0, 4)) !== index + 1)
      .map((name) => `${name} is out of the sequence 0001, 0002, …`),
  ];
};

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const SAYS_NOTHING = /^(utils?|helpers?|services?|common|misc|manager)$/;

export const nameFilesForWhatTheyDo: Rule = (files) =>
  files
    .map(({ path }) => path)
    .filter((path) => isCode({ path }) || (path.startsWith('docs/') && path.endsWith('.md')))
    .flatMap((path) => {
      const names = path.split('/').filter((name) => !name.startsWith('.') && name !== 'README.md');
      return [
        ...names
          .filter((name) => !KEBAB.test(name))
          .map((name) => `${path}: ${name} is not kebab-case`),
        ...names
          .filter((name) => SAYS_NOTHING.test(name.replace(/\..*$/, '')))
          .map((name) => `${path}: ${name} does not say what it does`),
      ];
    });

const FILES_SIDE_BY_SIDE_MAX = 25;

/** A folder with more files needs subfolders. */
export const keepFoldersSmall: Rule = (files) => {
  const sources = files.filter((file) => isCode(file) && /^(src|bin|sdk)\//.test(file.path));
  return [...Map.groupBy(sources, ({ path }) => posix.dirname(path))]
    .filter(([, within]) => within.length > FILES_SIDE_BY_SIDE_MAX)
    .map(([folder, { length }]) => `${folder}: ${length} files, ${FILES_SIDE_BY_SIDE_MAX} may be`);
};

/** A line may disable a rule, with its reason after `--`. */
const SWITCHED_OFF = [
  /@ts-(ignore|nocheck)\b/,
  /@ts-expect-error\s*(\*\/|$)/,
  /(eslint|oxlint)-disable(?!.*--\s*\S)/,
  /prettier-ignore(?!.*--\s*\S)/,
];

export const giveReasonsForExceptions: Rule = (files) =>
  files
    .filter((file) => isCode(file) && !isAboutRules(file))
    .flatMap((file) =>
      matchLines({ ...file, patterns: SWITCHED_OFF }).map((found) => `${found} without a reason`),
    );

/** Split in two parts, because the rule also checks this file. */
const UNFINISHED = [new RegExp(String.raw`\b(TO${'DO'}|FIX${'ME'}|XX${'X'})\b`)];

export const leaveNothingForLater: Rule = (files) =>
  files
    .filter((file) => isCode(file) || /\.(sql|py|java|sh|ya?ml|toml|css|html)$/.test(file.path))
    .flatMap((file) =>
      matchLines({ ...file, patterns: UNFINISHED }).map((found) => `${found} is left in the code`),
    );

const LEFT_OUT = [/\b(test|it|describe)(\.\w+)*\.(only|skip|todo|failing)\b/];

export const runEveryTest: Rule = (files) =>
  files
    .filter((file) => isCode(file) && file.path.includes('test'))
    .flatMap((file) =>
      matchLines({ path: file.path, text: maskSource(file.text), patterns: LEFT_OUT }).map(
        (found) => `${found} leaves out tests`,
      ),
    );

type Lock = {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly optionalDependencies?: Readonly<Record<string, string>>;
        readonly integrity?: string;
        readonly resolved?: string;
        readonly link?: boolean;
      }
    >
  >;
};

/**
 * npm omits packages that it could not find from the lock file, and `npm ci` then refuses that
 * file. An example is the build of an optional package for another platform, in a registry without
 * it. npm installs an entry without a hash unchecked. Workspaces are folders of this repository,
 * linked by their path.
 */
export const keepLockComplete: Rule = (files) => {
  const text = files.find(({ path }) => path === 'package-lock.json')?.text;
  if (text === undefined) return ['package-lock.json is missing'];
  const { packages } = JSON.parse(text) as Lock;
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)))
    .map((name) => `package-lock.json: ${name} is missing`);
  const links = Object.values(packages).filter(({ link }) => link === true);
  const own = new Set(['', ...links.map(({ resolved }) => resolved)]);
  const unproved = Object.entries(packages)
    .filter(([path, { link }]) => link !== true && !own.has(path))
    .filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => `package-lock.json: ${path} has no integrity`);
  // Apart from funding entries, the file must contain no address.
  const addressed = text.replaceAll(/"(?:url|funding)": "[^"]*"/g, '');
  const isFetched = Object.values(packages).some(
    ({ link, resolved }) => link !== true && resolved !== undefined,
  );
  const hosts =
    isFetched || /https?:/.test(addressed) ? ['package-lock.json names a registry'] : [];
  return [...missing, ...unproved, ...hosts];
};

/** Absolute paths of a developer's machine. Folders of the project may be named `work`. */
const MACHINE_PATHS = [/(?<![\w.*}-])\/work\//, /(?<![\w.*}-])\/root\//];

export const nameNoMachinePaths: Rule = (files) =>
  files.flatMap((file) =>
    matchLines({ ...file, patterns: MACHINE_PATHS }).map(
      (found) => `${found} names a machine path`,
    ),
  );

function resolve(file: RepositoryFile, found: Import): string {
  return posix.join(posix.dirname(file.path), found.specifier);
}

function isCode(file: { readonly path: string }): boolean {
  return /\.(ts|tsx|js|mjs|cjs)$/.test(file.path);
}

function isAboutRules(file: RepositoryFile): boolean {
  return file.path.startsWith('test/support/gate/tidy-rules.');
}

function matchLines(given: {
  readonly path: string;
  readonly text: string;
  readonly patterns: readonly RegExp[];
}): string[] {
  return given.text.split('\n').flatMap((line, index) => {
    const found = given.patterns
      .map((pattern) => pattern.exec(line))
      .find((match) => match !== null);
    return found ? [`${given.path}:${index + 1}: ${found[0].trim()}`] : [];
  });
}
