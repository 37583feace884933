import { EXIT } from '../cli/exit-code.ts';

/** `svc … | head` is no failure. A full disk is one, and leaves what is printed incomplete. */
export function endOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(EXIT.failure);
  });
}
