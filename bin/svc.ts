import { endOnClosedPipe } from './boot/end-on-closed-pipe.ts';
import { readVersion } from '../src/runtime/version.ts';

const [command = '', ...rest] = process.argv.slice(2);
// Without the reader of command lines, which takes longer to load than Node takes to start.
if (['version', '--version', '-V'].includes(command) && rest.length === 0) {
  endOnClosedPipe();
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { runCommandLine } = await import('./boot/run-command-line.ts');
  await runCommandLine();
}
