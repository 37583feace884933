import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findJdk, JAVA_MIN } from './find-jdk.ts';
import { leaveOut, MAVEN_UNREACHABLE, writeTotalsOf } from './sdk-step.ts';

/*
 * Builds and tests the Java SDK with Maven, whose downloads stay in its usual folder. A machine
 * without a JDK of 21 or newer, without Maven, or that gets no packages from a registry does not run
 * them, and the gate says so in its last lines.
 */

const project = fileURLToPath(new URL('../../../sdk/java', import.meta.url));

const jdk = findJdk();
const missing = jdk === null ? `there is no JDK of ${JAVA_MIN} or newer` : whyNoMaven();
if (jdk === null || missing !== null) leaveOut(`the Java SDK was NOT tested: ${missing}`);
else process.exitCode = await check(jdk);

function whyNoMaven(): string | null {
  return spawnSync('mvn', ['--version']).status === 0 ? null : 'there is no mvn';
}

async function check(home: string): Promise<number> {
  // The reports of an earlier run must not count.
  for (const report of reports()) rmSync(report);
  const maven = spawn('mvn', ['--batch-mode', '--no-transfer-progress', 'verify'], {
    cwd: project,
    env: { ...process.env, JAVA_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  maven.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    said += chunk.toString();
  });
  const [code] = (await once(maven, 'close')) as [number | null];
  const found = reports();
  if (code !== 0 && found.length === 0 && MAVEN_UNREACHABLE.test(said)) {
    leaveOut('the Java SDK was NOT tested: Maven could not get its packages');
    return 0;
  }
  writeTotalsOf(found);
  return code ?? 1;
}

function reports(): string[] {
  return globSync('**/target/surefire-reports/TEST-*.xml', { cwd: project }).map((file) =>
    join(project, file),
  );
}
