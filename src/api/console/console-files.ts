import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';

/** The files of a build of the console. A build may replace them while the process runs. */
export interface ConsoleFiles {
  /** The page; null: the console is not built. */
  readPage(): Promise<string | null>;
  /** A file under its name in the build; null: the build has none, or the name is the page's. */
  open(name: string, encodings: readonly string[]): Promise<ConsoleFile | null>;
}

export interface ConsoleFile {
  readonly contentType: string;
  /** Null: known only at the end. */
  readonly bytes: number | null;
  /** As for `Content-Encoding`; null: the file as it is. */
  readonly encoding: string | null;
  readonly content: Readable;
}

const PAGE = 'index.html';

export function createConsoleFiles(folder: string): ConsoleFiles {
  let kept: { readonly stamp: string; readonly page: string } | null = null;
  return {
    async readPage() {
      const file = join(folder, PAGE);
      const facts = await orAbsent(stat(file));
      if (facts === null) return null;
      const stamp = `${facts.ino} ${facts.mtimeMs} ${facts.size}`;
      if (kept?.stamp === stamp) return kept.page;
      const page = await orAbsent(readFile(file, 'utf8'));
      if (page !== null) kept = { stamp, page };
      return page;
    },
    async open(name, encodings) {
      const contentType = CONTENT_TYPES[extname(name)];
      if (contentType === undefined || !isPlain(name)) return null;
      for (const [encoding, ending] of FORMS) {
        if (encoding !== null && !encodings.includes(encoding)) continue;
        const opened = await openFile(join(folder, name + ending));
        if (opened !== null) return { contentType, encoding, ...opened };
      }
      const packed = await openFile(join(folder, `${name}.gz`));
      return packed && { contentType, encoding: null, ...(await unpack(packed.content)) };
    },
  };
}

/** The build keeps large files in their compressed forms alone; the smallest comes first. */
const FORMS = [
  ['br', '.br'],
  ['gzip', '.gz'],
  [null, ''],
] as const;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Letters, digits and few signs: no name leads out of the folder or to a hidden file. */
function isPlain(name: string): boolean {
  return name.split('/').every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part));
}

async function openFile(
  path: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | null> {
  const handle = await orAbsent(open(path));
  if (handle === null) return null;
  const facts = await handle.stat();
  if (!facts.isFile()) return closeUnread(handle);
  return { bytes: facts.size, content: handle.createReadStream() };
}

/** For a client that reads no compressed form, such as a shell's: no browser asks for this. */
async function unpack(packed: Readable): Promise<Pick<ConsoleFile, 'bytes' | 'content'>> {
  const { createGunzip } = await import('node:zlib');
  const content = createGunzip();
  // Either end closes the other, and an error reaches the answer.
  pipeline(packed, content, () => undefined);
  return { bytes: null, content };
}

async function closeUnread(handle: FileHandle): Promise<null> {
  await handle.close();
  return null;
}

async function orAbsent<Value>(read: Promise<Value>): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}
