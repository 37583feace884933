import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The pairs of Spring Boot and Spring AI: folders of `sdk/java/samples`. */
export const PAIRS = ['boot-3.4', 'boot-3.5', 'boot-4'] as const;
export type Pair = (typeof PAIRS)[number];

/** The pair that the gate runs. */
export const PAIR_OF_GATE: Pair = 'boot-3.5';

export const JAVA_PROJECT = fileURLToPath(new URL('../../sdk/java', import.meta.url));

/** The application of docs/get-started/spring.md. */
export const GET_STARTED_PROJECT = `${JAVA_PROJECT}/target/get-started`;
export const GET_STARTED_JAR = `${GET_STARTED_PROJECT}/target/assistant-1.0.0.jar`;

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

export function jarOf(pair: Pair): string {
  return `${JAVA_PROJECT}/samples/${pair}/target/svc-sample-${pair}-${version}.jar`;
}
