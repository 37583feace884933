import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { readUnit } from './unit.ts';

/*
 * Replaces systemctl where systemd is not the first process. It starts the program of a unit with
 * only the unit's user, folder and environment, and stops it by SIGTERM. It doesn't sandbox
 * programs, and doesn't restart those that end.
 */

const RUNNING = '/run/units';
const STOP_MS_MAX = 60_000;

const [verb = '', ...words] = process.argv.slice(2);
const units = words.filter((word) => !word.startsWith('-'));
fs.mkdirSync(RUNNING, { recursive: true });
for (const unit of units) {
  if (verb === 'start' || verb === 'enable') await start(unit);
  else if (verb === 'restart') await restart(unit);
  else if (verb === 'stop') await stop(unit);
  else throw new Error(`systemctl ${verb} is not known here`);
}

async function restart(name: string): Promise<void> {
  await stop(name);
  await start(name);
}

async function start(name: string): Promise<void> {
  const unit = readUnit(name);
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, unit.user], { encoding: 'utf8' })),
  );
  if (unit.stateFolder !== null) {
    const mode = ['-d', '-o', unit.user, '-g', unit.user];
    execFileSync('install', [...mode, `/var/lib/${unit.stateFolder}`]);
  }
  const [program = '', ...args] = unit.command;
  const log = fs.openSync(`${RUNNING}/${name}.log`, 'a');
  const options = {
    cwd: unit.folder,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...unit.env },
    stdio: ['ignore', log, log] as ['ignore', number, number],
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
  };
  if (unit.isOneShot) {
    const { status } = spawnSync(program, args, options);
    if (status !== 0) throw new Error(`Job for ${name}.service failed: see ${RUNNING}/${name}.log`);
    return;
  }
  const child = spawn(program, args, { ...options, detached: true });
  fs.writeFileSync(`${RUNNING}/${name}.pid`, String(child.pid));
  child.unref();
}

async function stop(name: string): Promise<void> {
  const file = `${RUNNING}/${name}.pid`;
  if (!fs.existsSync(file)) return;
  const pid = Number(fs.readFileSync(file, 'utf8'));
  fs.rmSync(file);
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_MS_MAX;
  while (isAlive(pid)) {
    if (performance.now() > deadline) throw new Error(`${name} does not stop`);
    await delay(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has ended, and only its parent has not read its exit code yet.
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
