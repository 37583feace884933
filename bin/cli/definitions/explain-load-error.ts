/** Why a module could not be loaded, and what to do. `path`: the whole path of `file`. */
export function explainLoadError(params: {
  readonly file: string;
  readonly path: string;
  readonly error: unknown;
}): string {
  const { file, path, error } = params;
  if (!(error instanceof Error)) return `"${file}" failed: ${String(error)}`;
  const place = placeIn(error) ?? (path === file ? file : `"${file}"`);
  switch ('code' in error ? error.code : null) {
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND':
      return explainMissing(file, error.message);
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return `${place}: ${error.message}: use syntax that can be erased, or compile it to JavaScript first`;
    case 'ERR_INVALID_TYPESCRIPT_SYNTAX':
      return `${place}: syntax error: ${error.message}`;
    case 'ERR_PACKAGE_PATH_NOT_EXPORTED':
      return `"${file}": ${error.message}: check the import, and the version of the package`;
    default:
      return error instanceof SyntaxError
        ? explainSyntax({ file, place: placeIn(error), error })
        : `"${file}" failed: ${error.name}: ${error.message}${whereOf(error)}`;
  }
}

function explainMissing(file: string, message: string): string {
  const name = /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (name === undefined) return `"${file}" cannot be loaded: ${message}`;
  const importer = /imported from (.+)$/m.exec(message)?.[1];
  const by = importer === undefined ? '' : ` (imported from ${importer})`;
  return `"${file}" needs the package ${name}, which is not installed${by}: run npm install ${name} in its project`;
}

function explainSyntax(params: {
  readonly file: string;
  readonly place: string | null;
  readonly error: Error;
}): string {
  const { file, place, error } = params;
  if (place !== null) return `${place}: ${error.message}`;
  return `"${file}": syntax error: ${error.message}: node --check ${file} shows the place`;
}

/** Node puts file and line of a syntax error in front of the stack. */
function placeIn(error: Error): string | null {
  return /^(?:file:\/\/)?(\/.+:\d+)$/m.exec(error.stack?.split('\n')[0] ?? '')?.[1] ?? null;
}

/** Where a program threw: the first line of the stack in a file. */
function whereOf(error: Error): string {
  const at = /\(?file:\/\/(\/[^\s)]+:\d+):\d+\)?/.exec(error.stack ?? '')?.[1];
  return at === undefined ? '' : ` (${at})`;
}
