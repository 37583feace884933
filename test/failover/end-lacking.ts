/** The exit code of a run that lacks a package or a right. */
const LACKS = 3;

/** Ends this process, and says what to add first. */
export function endLacking(what: string): never {
  process.stderr.write(`${what}\n`);
  process.exit(LACKS);
}
