import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

/*
 * The public API as text: every exported declaration of every entry, without comments and bodies, and
 * the types that exported declarations name although no entry exports them. A review sees a change of
 * the API as a change of this text.
 */

export const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

const ROOT = 'svc-sdk';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly 'svc-source': string }>>;
}

export function reportApi(): string {
  const entries = readEntries();
  const declarations = declare(entries.map(({ path }) => path));
  const checker = declarations.getTypeChecker();
  const told = entries.map((entry) => ({ ...entry, symbols: exportsOf(entry, declarations) }));
  const exported = new Set(told.flatMap(({ symbols }) => symbols.map(({ target }) => target)));
  const forgotten = new Set<string>();
  const pages = told.map(({ name, symbols }) => {
    const texts = symbols.map(({ exportedAs, target }) => {
      for (const missing of namedBy(target, { checker, exported })) forgotten.add(missing);
      // The root has the names of other entries, which describe them.
      return name === ROOT ? exportedAs : describe(exportedAs, target);
    });
    return [`# ${name}`, ...texts].join(name === ROOT ? '\n' : '\n\n');
  });
  const hidden = [...forgotten].sort().map((name) => `  ${name}`);
  return [...pages, ['# Named, but not exported', ...hidden].join('\n')].join('\n\n').concat('\n');
}

function readEntries(): readonly { readonly name: string; readonly path: string }[] {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: join('svc-sdk', entry), path: join(PACKAGE, target['svc-source']) }],
  );
}

/** A program of the declarations that a build would write, kept in memory. */
function declare(paths: readonly string[]): ts.Program {
  const config = join(PACKAGE, 'tsconfig.build.json');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, (path) => ts.sys.readFile(path)).config,
    ts.sys,
    dirname(config),
  );
  const written = new Map<string, string>();
  const sources = ts.createProgram([...paths], { ...options, emitDeclarationOnly: true });
  sources.emit(undefined, (path, text) => written.set(path, text));
  const host = ts.createCompilerHost(options);
  const read = (path: string) => written.get(path) ?? ts.sys.readFile(path);
  return ts.createProgram(
    paths.map((path) => declarationOf(path)),
    { ...options, noEmit: true, declaration: false },
    {
      ...host,
      readFile: read,
      // Nothing of it is on the disk.
      directoryExists: () => true,
      fileExists: (path) => written.has(path) || ts.sys.fileExists(path),
      getSourceFile: (path, version) => {
        const text = read(path);
        return text === undefined ? undefined : ts.createSourceFile(path, text, version, true);
      },
    },
  );
}

function declarationOf(path: string): string {
  return path.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts');
}

interface Exported {
  readonly exportedAs: string;
  readonly target: ts.Symbol;
}

function exportsOf({ path }: { readonly path: string }, program: ts.Program): readonly Exported[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(declarationOf(path));
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) return [];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({
      exportedAs: symbol.name,
      target: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    }))
    .sort((a, b) => (a.exportedAs < b.exportedAs ? -1 : 1));
}

const PRINTER = ts.createPrinter({ removeComments: true });

function describe(exportedAs: string, target: ts.Symbol): string {
  const texts = (target.declarations ?? []).map((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return PRINTER.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
  });
  const renamed = target.name === exportedAs ? [] : [`// as ${exportedAs}`];
  return [...renamed, ...texts].join('\n');
}

/** Declarations of this package that a declaration names, and that no entry exports. */
function namedBy(
  target: ts.Symbol,
  known: { readonly checker: ts.TypeChecker; readonly exported: ReadonlySet<ts.Symbol> },
): readonly string[] {
  const { checker, exported } = known;
  const missing: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const named = checker.getSymbolAtLocation(node);
      const found =
        named && named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
      if (found !== undefined && isHidden(found, exported)) missing.push(placeOf(found));
    }
    ts.forEachChild(node, visit);
  };
  for (const declaration of target.declarations ?? []) visit(declaration);
  return missing;
}

const NAMED_THINGS =
  ts.SymbolFlags.Class |
  ts.SymbolFlags.Interface |
  ts.SymbolFlags.TypeAlias |
  ts.SymbolFlags.Enum |
  ts.SymbolFlags.Function;

function isHidden(symbol: ts.Symbol, exported: ReadonlySet<ts.Symbol>): boolean {
  if (!(symbol.flags & NAMED_THINGS) || exported.has(symbol)) return false;
  return (symbol.declarations ?? []).some((declaration) =>
    declaration.getSourceFile().fileName.startsWith(join(PACKAGE, 'dist')),
  );
}

function placeOf(symbol: ts.Symbol): string {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  return `${symbol.name} (${relative(join(PACKAGE, 'dist'), file)})`;
}
