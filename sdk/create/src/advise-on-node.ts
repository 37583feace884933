/** The oldest release that runs TypeScript files without a flag. */
const NEEDED = { major: 22, minor: 18 };

/** The advice for a user whose Node cannot run the project; null: it can. */
export function adviseOnNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return null;
  return (
    `the project runs TypeScript files with Node ${NEEDED.major}.${NEEDED.minor} or newer, and this ` +
    `is Node ${version}. Install a newer one before you run the project.`
  );
}
