import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import openapiTS, { astToString } from 'openapi-typescript';

const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);
const CLIENT = new URL('../src/client/', import.meta.url);
const HEAD = `// Generated from docs/openapi.json. Write it again with: npm run sdk:types\n\n`;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The generated files of the client by their names, made from the document of the API. */
export async function renderGenerated(): Promise<Readonly<Record<string, string>>> {
  const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as ApiDocument;
  const nodes = await openapiTS(JSON.stringify(withoutRecursion(withoutErrors(document))), {
    // A default of the service is no reason for a caller to have to name the field.
    defaultNonNullable: false,
    immutable: true,
  });
  return {
    'openapi-types.ts': HEAD + astToString(nodes),
    'operation-table.ts': HEAD + renderTable(document),
  };
}

/** All errors have one shape, which the client knows: they are half of the document. */
function withoutErrors({ paths, ...rest }: ApiDocument): ApiDocument {
  const kept = Object.entries(paths).map(([path, operations]) => {
    const lean = Object.entries(operations).map(([method, operation]) => {
      const responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
      );
      return [method, { ...operation, responses }];
    });
    return [path, Object.fromEntries(lean)] as const;
  });
  return { ...rest, paths: Object.fromEntries(kept) };
}

/** JSON within JSON: types that name themselves are none. */
function withoutRecursion({ components, ...rest }: ApiDocument): ApiDocument {
  const schemas = { ...components.schemas, AnyJson: {}, StateJson: {} };
  return { ...rest, components: { ...components, schemas } };
}

function renderTable({ paths }: ApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      if (operation === undefined) return [];
      const value = `{ method: '${method.toUpperCase()}', path: '${path}'${renderQuery(operation)} }`;
      return [`  '${operation.operationId}': ${value},\n`];
    }),
  );
  return `/** Where each operation of the API is. */\nexport const OPERATIONS = {\n${rows.join('')}} as const;\n`;
}

/** The names of the parameters in the query, so that the client refuses others. */
function renderQuery({ parameters = [] }: Operation): string {
  const names = parameters.flatMap((one) => (one.in === 'query' ? one.name : []));
  if (names.length === 0) return '';
  return `, query: { ${names.map((name) => `${name}: true`).join(', ')} }`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(await renderGenerated())) {
    await writeFile(new URL(name, CLIENT), text);
  }
}
