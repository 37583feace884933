import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * The previous version: the newest release among the ancestors of this commit, or, without a
 * release, the commit before the newest migration.
 */

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

export interface PreviousVersion {
  /** The name in git. */
  readonly name: string;
  /** The files of that version, with the packages of this one. */
  readonly root: string;
  remove(): void;
}

export function checkOutPrevious(from: string | undefined): PreviousVersion {
  const name = from ?? findPrevious();
  const root = mkdtempSync(join(tmpdir(), 'svc-previous-'));
  const archive = join(root, 'previous.tar');
  git('archive', '--output', archive, name);
  const { status, stderr } = spawnSync('tar', ['-xf', archive, '-C', root], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the files of ${name} cannot be unpacked: ${stderr}`);
  rmSync(archive);
  symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  return { name, root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function findPrevious(): string {
  if (git('rev-parse', '--is-shallow-repository') === 'true') {
    throw new Error(
      'this clone has no history to find the version before in: run "git fetch --unshallow --tags", ' +
        'or name it with --from',
    );
  }
  const tag = spawnSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  if (tag.status === 0) return tag.stdout.trim();
  const path = 'migrations/postgres';
  const added = git('log', '-1', '--format=%H', '--diff-filter=A', '--', path);
  return git('rev-parse', `${added}^`);
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}
