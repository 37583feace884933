import { text } from 'node:stream/consumers';

import { apiTarget, connectResources, type ClientOptions } from '../../cli/client.ts';
import { ApiError, type ApiTarget } from '../../../src/shared/clients/svc/request.ts';
import { CREATE_TOKEN } from '../../cli/profiles/create-token.ts';
import { CliError, EXIT, usageError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { profileFile, readProfiles, writeProfiles } from '../../cli/profiles/profile-file.ts';

/** Checks the token at the runtime, then keeps both as the context that commands use. */
export async function login(
  name: string,
  options: ClientOptions & { readonly tokenStdin?: boolean },
): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(
      `"${name}" is no name of a context: use letters, digits, - _ and . (up to 64)`,
    );
  }
  const token = await readToken(options);
  const known = { ...options, ...(token !== null && { token }) };
  const target = apiTarget(known);
  const who = await connectResources(known)
    .whoAmI()
    .catch((error: unknown) => {
      throw explainRefusal(error, target);
    });
  const file = profileFile();
  const before = readProfiles(file);
  const profile = { url: target.url, token: target.token };
  writeProfiles(file, { current: name, profiles: { ...before.profiles, [name]: profile } });
  if (options.output === 'json') return printJson({ name, url: target.url, role: who.role, file });
  const as = who.authenticated ? `${who.name} (${who.role})` : 'everyone, as it asks for no token';
  printLine(`logged in to ${target.url} as ${as}; context ${name} is in use`);
}

/** The options of other commands for a token are none of this one. */
function explainRefusal(error: unknown, { url, token }: ApiTarget): unknown {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  const refused = token === null ? 'asks for a token' : 'does not accept this token';
  return new CliError(
    `${url} ${refused}, so nothing is kept: pipe a valid one with --token-stdin, or create one ` +
      `where the database of this runtime is: ${CREATE_TOKEN}`,
    { exitCode: EXIT.unauthenticated, cause: error },
  );
}

/** From SVC_TOKEN, stdin or a prompt: arguments are seen by other users and kept by shells. */
async function readToken(
  options: ClientOptions & { readonly tokenStdin?: boolean },
): Promise<string | null> {
  if (options.tokenStdin === true) return (await text(process.stdin)).trim();
  if (options.token !== undefined) return options.token;
  if (!process.stdin.isTTY) {
    printNote('no token is given: pipe one with --token-stdin if the runtime asks for it');
    return null;
  }
  const typed = await askHidden(`Token for ${options.url} (empty: none): `);
  return typed === '' ? null : typed;
}

function askHidden(question: string): Promise<string> {
  const { stdin } = process;
  process.stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  let typed = '';
  return new Promise((resolve) => {
    const heed = (keys: string) => {
      for (const key of keys) {
        if (key === '\u0003') process.exit(130);
        if (key === '\r' || key === '\n' || key === '\u0004') {
          stdin.off('data', heed);
          stdin.setRawMode(false);
          stdin.pause();
          process.stderr.write('\n');
          return resolve(typed.trim());
        }
        typed = key === '\u007f' ? typed.slice(0, -1) : typed + key;
      }
    };
    stdin.on('data', heed);
  });
}
