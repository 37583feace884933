/*
 * Starts an entry module on a Node that can run it.
 *
 * Three cases, in this order:
 * - This Node is new enough: the entry module is imported into this process. Where Node options are
 *   wanted that can only be given at its start, this process first becomes a Node that has them.
 * - It is not, but one of the `node-linux-*` packages is installed: this same launcher is run again
 *   on that Node, with its stdio, arguments and environment. Signals are passed on, the exit code or
 *   the fatal signal is passed back. An IPC channel ties the two together: when the launcher is
 *   killed outright, the channel breaks and the child kills itself too, so that nobody is left
 *   holding the port or the database.
 * - Neither: one line on stderr, exit code 1.
 *
 * This file and its callers are the only ones that an old Node reads, so they keep to syntax that
 * Node 12 parses: no `node:` imports, no `??`, no `?.`, no top-level await.
 */
import module from 'module';
import { dirname, isAbsolute, join, sep } from 'path';
import { fileURLToPath } from 'url';

// An import of `fs` would load all its streams, which costs a start a tenth.
const require = module.createRequire(import.meta.url);
const { existsSync } = require('fs');

/** The first Node whose type stripping is stable and that the dependencies accept. */
const MINIMUM = [24, 12];
const CHILD_MARK = 'SVC_LAUNCHED_CHILD';
/** `bin/boot/drain.ts` has the same text. */
const PARENT_ENDED = 'the parent of the launcher has ended';
const PASSED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
/** What a terminal itself sends to the whole foreground process group, hence to the child too. */
const SENT_BY_TERMINAL = ['SIGINT', 'SIGQUIT'];

/**
 * For processes that serve. V8 lets the young generation grow to 64 MiB and more where there is much
 * memory, and gives little of it back. With 4 MiB for each of its halves a runtime that serves 16
 * workers holds 95 MiB less, at the same rate. A start fills them, so V8 need not grow them first.
 * An option that V8 counts among those that compiled code depends on has no place here: Node would
 * compile its own modules at each start.
 */
export const SERVER_OPTIONS = ['--max-semi-space-size=4', '--min-semi-space-size=4'];

/**
 * @param {object} target
 * @param {URL} target.source the TypeScript entry module, used in the source tree
 * @param {URL} target.built the compiled entry module, used in the published package, and in a clone
 *   whose build is up to date
 * @param {URL} [target.clone] root of the clone; absent: its build is not used
 * @param {number[]} [target.minimum] oldest acceptable Node: major, minor
 * @param {string[]} [target.nodePackages] packages that bring a Node as `bin/node`
 * @param {string[]} [target.nodeOptions] as `--name=value`; one that was given already stays as it is
 * @returns {void}
 */
export function launch(target) {
  const minimum = target.minimum || MINIMUM;
  const isChild = process.env[CHILD_MARK] !== undefined && process.send !== undefined;
  if (isChild) {
    delete process.env[CHILD_MARK];
    dieWithLauncher();
  }
  const nodeOptions = (target.nodeOptions || []).filter(isNotGiven);
  // A child is trusted to be new enough, whatever its version says: so it can never loop.
  if (isChild || isNewEnough(minimum)) {
    if (nodeOptions.length > 0 && canBecomeAnother()) becomeNodeWith(nodeOptions);
    keepCompiledCode();
    void importEntry(target);
    return;
  }
  const node = findNode(target.nodePackages || ['node-linux-' + process.arch]);
  if (node === null) {
    refuse(
      'needs Node ' +
        minimum.join('.') +
        ' or newer, but this is ' +
        process.versions.node +
        ' and no node-linux package is installed: install a newer Node, or reinstall with optional dependencies',
    );
    return;
  }
  runOn(node, nodeOptions);
}

function isNewEnough(minimum) {
  const version = process.versions.node.split('.').map(Number);
  return version[0] > minimum[0] || (version[0] === minimum[0] && version[1] >= minimum[1]);
}

function isNotGiven(option) {
  const name = option.split('=')[0];
  const given = process.execArgv.concat((process.env.NODE_OPTIONS || '').split(' '));
  return !given.some((other) => other.replace(/_/g, '-').split('=')[0] === name);
}

/** An IPC channel would be lost on the way, and Windows knows no such thing. */
function canBecomeAnother() {
  return process.execve !== undefined && process.platform !== 'win32' && process.send === undefined;
}

/** Does not return: the same process goes on, under its own id, with a Node that has the options. */
function becomeNodeWith(options) {
  const args = options.concat(process.execArgv, process.argv.slice(1));
  process.execve(process.execPath, [process.execPath].concat(args), process.env);
}

/**
 * Compiled code, and TypeScript without its types, are kept for the next start, which then takes half
 * the time. Only in a folder of the user's own: what lies in it is run as it is. Where there is none,
 * nothing is kept. Node's own variables for this come first.
 */
function keepCompiledCode() {
  if (module.enableCompileCache === undefined || process.env.NODE_COMPILE_CACHE) return;
  const folder = findCacheFolder();
  if (folder !== null) module.enableCompileCache(join(folder, 'svc', 'compiled'));
}

function findCacheFolder() {
  const given = process.env.XDG_CACHE_HOME || '';
  try {
    const { homedir } = require('os');
    const [base, folder] = isAbsolute(given)
      ? [given, given]
      : [homedir(), join(homedir(), '.cache')];
    // Node makes what is missing of a path, and where even its root is no real folder it never ends.
    return existsSync(base) ? folder : null;
  } catch (error) {
    // A user id that no user has.
    return null;
  }
}

// A rejection stays unhandled on purpose: Node prints it with its stack and exits with 1.
async function importEntry(target) {
  const source = fileURLToPath(target.source);
  const built = fileURLToPath(target.built);
  // Node strips no types below node_modules, so an installed package runs what was built.
  const canRunSource = existsSync(source) && !source.includes(sep + 'node_modules' + sep);
  if (canRunSource && !(await isUpToDate(target, built))) {
    await import(target.source.href);
    return;
  }
  if (!existsSync(built)) {
    refuse('is not built: run "npm run build"');
    return;
  }
  // Loaded with the first stack, as most processes show none.
  Error.prepareStackTrace = (error, frames) => require('./show-stack.js').showStack(error, frames);
  await import(target.built.href);
}

/** A clone runs its build only while that is one of its sources as they are. */
async function isUpToDate(target, built) {
  if (target.clone === undefined || !existsSync(built) || wantsSources()) return false;
  const { isBuiltFrom } = await import('./source-stamp.js');
  return isBuiltFrom(fileURLToPath(target.clone), dirname(built));
}

/** The condition under which the exports of the package are its sources. */
function wantsSources() {
  const given = process.execArgv.concat((process.env.NODE_OPTIONS || '').split(' '));
  return given.includes('--conditions=svc-source');
}

function findNode(nodePackages) {
  if (process.platform !== 'linux') return null;
  for (const name of nodePackages) {
    try {
      const file = join(dirname(require.resolve(name + '/package.json')), 'bin', 'node');
      if (existsSync(file)) return file;
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

function runOn(node, options) {
  const { spawn } = require('child_process');
  const { constants } = require('os');
  const env = Object.assign({}, process.env);
  env[CHILD_MARK] = '1';
  const child = spawn(node, options.concat(process.execArgv, process.argv.slice(1)), {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  tellOfParentsEnd(child);
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of PASSED_ON) {
    process.on(signal, () => {
      // A second copy of Ctrl-C would read as "do not wait for the drain".
      if (!(hasTerminal && SENT_BY_TERMINAL.includes(signal))) child.kill(signal);
    });
  }
  child.on('error', (error) => refuse('cannot run ' + node + ': ' + error.message));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of PASSED_ON) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    // Only the first process of a container survives its own signal.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
  });
}

/** What started this process is no parent of the child, which `bin/boot/end-with-npm.ts` lets end with it. */
function tellOfParentsEnd(child) {
  if (process.env.npm_lifecycle_script === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    if (child.connected) child.send(PARENT_ENDED, () => undefined);
  }, 500);
}

function dieWithLauncher() {
  // SIGKILL, because that is what happened to the launcher: a drain would hold the port for long.
  const die = () => process.kill(process.pid, 'SIGKILL');
  if (!process.connected) die();
  process.on('disconnect', die);
  // A listener keeps the channel, and with it the process, alive; a finished command should end.
  process.channel.unref();
}

function refuse(reason) {
  process.stderr.write('svc ' + reason + '\n');
  process.exitCode = 1;
}
