import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The message says what to do. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
}

const TEMPLATE = fileURLToPath(new URL('../template/', import.meta.url));
/** A new repository is an empty folder, too. */
const HARMLESS = new Set(['.git', '.DS_Store']);

/** Writes the template into a new or empty folder. Throws a ProjectError for one in use. */
export async function createProject(params: {
  readonly folder: string;
  /** The source of `svc-runtime` for npm: a version, a tarball or a URL. */
  readonly runtime: string;
  /** The same for `svc-sdk`. */
  readonly sdk: string;
}): Promise<void> {
  const { folder, runtime, sdk } = params;
  await claimFolder(folder);
  await cp(TEMPLATE, folder, { recursive: true });
  // npm leaves a file of its real name out of a package.
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const path = join(folder, 'package.json');
  const project = JSON.parse(await readFile(path, 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const dependencies = { ...project.dependencies, 'svc-runtime': runtime, 'svc-sdk': sdk };
  const made = { name: nameOf(folder), ...project, dependencies };
  await writeFile(path, `${JSON.stringify(made, null, 2)}\n`);
}

async function claimFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    const used = (await readdir(folder)).filter((name) => !HARMLESS.has(name));
    if (used.length === 0) return;
    throw new ProjectError(`${folder} is not empty. Name another folder, or empty it.`);
  } catch (error) {
    if (error instanceof ProjectError) throw error;
    throw new ProjectError(`${folder} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** npm allows lowercase letters, digits, dots, hyphens and underscores, the first none of the last three. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
  return name === '' ? 'svc-app' : name;
}
