import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that state the version of svc. In each pattern, the group `version` is what they state. */
interface Place {
  /** Paths below the repository; a pattern may match several. */
  readonly files: string;
  readonly pattern: RegExp;
}

export interface StatedVersion {
  readonly file: string;
  readonly pattern: RegExp;
  /** Everything that the file states, in its order; empty: the pattern no longer fits the file. */
  readonly versions: readonly string[];
}

const VERSION = String.raw`(?<version>\d+\.\d+\.\d+)(?![-\d])`;
const LABEL = new RegExp(String.raw`(?<=app\.kubernetes\.io/version: ["']?)${VERSION}`, 'g');
const IMAGE = new RegExp(String.raw`(?<=image: ["']?svc:)${VERSION}`, 'g');
const JSON_VERSION = new RegExp(String.raw`(?<=^ {2}"version": ")${VERSION}`, 'gm');

/** `package.json` of the root decides; every other place follows it. */
export const DECIDING_FILE = 'package.json';

const PLACES: readonly Place[] = [
  { files: 'sdk/*/package.json', pattern: JSON_VERSION },
  { files: 'console/package.json', pattern: JSON_VERSION },
  { files: 'package-lock.json', pattern: JSON_VERSION },
  {
    files: 'package-lock.json',
    pattern: new RegExp(
      String.raw`(?<="(?:|console|sdk/[a-z-]+)": \{\n(?: {6}"name": "[^"]+",\n)? {6}"version": ")${VERSION}`,
      'g',
    ),
  },
  {
    files: 'docs/openapi.json',
    pattern: new RegExp(String.raw`(?<=^ {4}"version": ")${VERSION}`, 'gm'),
  },
  {
    files: 'docs/get-started/install.md',
    pattern: new RegExp(String.raw`(?<=\$REGISTRY/svc:)${VERSION}`, 'g'),
  },
  {
    files: 'docs/get-started/{java,spring}.md',
    pattern: new RegExp(
      String.raw`(?<=<groupId>io\.svc</groupId>\n\s*<artifactId>svc-[a-z-]+</artifactId>\n\s*<version>)${VERSION}`,
      'g',
    ),
  },
  {
    files: 'sdk/java/**/pom.xml',
    pattern: new RegExp(
      String.raw`(?<=<groupId>io\.svc(?:\.samples)?</groupId>\n\s*<artifactId>svc-[a-z0-9.-]+</artifactId>\n\s*<version>)${VERSION}`,
      'g',
    ),
  },
  {
    files: 'sdk/python/pyproject.toml',
    pattern: new RegExp(String.raw`(?<=^version = ")${VERSION}`, 'gm'),
  },
  {
    files: 'sdk/python/src/svc_sdk/__init__.py',
    pattern: new RegExp(String.raw`(?<=^__version__ = ")${VERSION}`, 'gm'),
  },
  {
    files: 'deploy/helm/svc/Chart.yaml',
    pattern: new RegExp(String.raw`(?<=^(?:version|appVersion): )${VERSION}`, 'gm'),
  },
  { files: '{deploy/kubernetes,test/deploy/rendered}/**/*.yaml', pattern: LABEL },
  { files: '{deploy/kubernetes,test/deploy/rendered}/**/*.yaml', pattern: IMAGE },
  {
    files: 'test/deploy/rendered/*.yaml',
    pattern: new RegExp(String.raw`(?<=helm\.sh/chart: svc-)${VERSION}`, 'g'),
  },
  {
    files: 'deploy/kubernetes/examples/**/kustomization.yaml',
    pattern: new RegExp(String.raw`(?<=newTag: )${VERSION}`, 'g'),
  },
];

/** Tools write files below these, perhaps at this moment. */
const OUTPUT = ['**/node_modules/**', 'sdk/java/**/target/**'];

/** Lists the versions that the places state, without the deciding file and files that state none. */
export function readStatedVersions(repository: string): readonly StatedVersion[] {
  return PLACES.flatMap(({ files, pattern }) => {
    const found = globSync(files, { cwd: repository, exclude: OUTPUT }).toSorted();
    const stated = found.map((file) => ({ file, pattern, versions: read(file, pattern) }));
    const stating = stated.filter(({ versions }) => versions.length > 0);
    return stating.length > 0 ? stating : [{ file: files, pattern, versions: [] }];
  });

  function read(file: string, pattern: RegExp): readonly string[] {
    const text = readFileSync(join(repository, file), 'utf8');
    return [...text.matchAll(pattern)].map(({ groups }) => groups?.['version'] ?? '');
  }
}
