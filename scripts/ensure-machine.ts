/**
 * Makes sure that this machine has what the tests or the demo need beyond Node and git; what is missing is installed where that
 * can be done (Debian's packages, as root), else named in one line. Usage: `node scripts/ensure-machine.ts redis bubblewrap`.
 */
import { execa } from 'execa';

interface Need {
  /** Command whose presence tells that it is there. */
  readonly command: string;
  readonly debianPackage: string;
  readonly why: string;
}

const NEEDS: Readonly<Record<string, Need>> = {
  git: { command: 'git', debianPackage: 'git', why: 'every test of the git adapter runs real git' },
  openssl: { command: 'openssl', debianPackage: 'openssl', why: 'a test makes a certificate authority of its own' },
  redis: { command: 'redis-server', debianPackage: 'redis-server', why: 'the queue tests start a server of their own' },
  bubblewrap: { command: 'bwrap', debianPackage: 'bubblewrap', why: 'agents and validation run in its sandbox' },
  chromium: { command: 'chromium', debianPackage: 'chromium', why: 'plans look at pages in it' },
  systemd: { command: 'systemd-analyze', debianPackage: 'systemd', why: 'it checks the unit of the service' },
  apparmor: { command: 'apparmor_parser', debianPackage: 'apparmor', why: 'it checks the profile of the container' },
  runc: { command: 'runc', debianPackage: 'runc', why: 'sandboxes are made in a container of its own' },
  setpriv: { command: 'setpriv', debianPackage: 'util-linux', why: 'as root, agents run under a uid of their own' },
};

const INSTALL_TIMEOUT_MS = 300_000;

async function isInstalled(command: string): Promise<boolean> {
  // Programs for administrators are not on everybody's PATH.
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
  const options = { reject: false, stdio: 'ignore', env } as const;
  const { exitCode } = await execa('sh', ['-c', 'command -v "$1"', 'sh', command], options);
  return exitCode === 0;
}

/** null when it worked, else why not. */
async function install(packages: readonly string[]): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'not running as root';
  if (!(await isInstalled('apt-get'))) return 'no apt-get here';
  console.error(`installing with apt-get: ${packages.join(' ')}`);
  const options = {
    reject: false,
    timeout: INSTALL_TIMEOUT_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Installing a server must not start it: the tests start their own.
    env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  } as const;
  await execa('apt-get', ['update', '-qq'], options);
  const { failed, exitCode } = await execa(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
    options,
  );
  return failed ? `apt-get ended with ${String(exitCode)}` : null;
}

async function findMissing(names: readonly string[]): Promise<readonly Need[]> {
  const missing: Need[] = [];
  for (const name of names) {
    const need = NEEDS[name];
    if (need === undefined) throw new Error(`unknown need ${name}; known: ${Object.keys(NEEDS).join(', ')}`);
    if (!(await isInstalled(need.command))) missing.push(need);
  }
  return missing;
}

async function main(names: readonly string[]): Promise<number> {
  const missing = await findMissing(names);
  if (missing.length === 0) return 0;
  const why = await install(missing.map(({ debianPackage }) => debianPackage));
  const still = await findMissing(names);
  for (const need of still) {
    console.error(
      `missing: ${need.command} (${need.why}). Install the package ${need.debianPackage}; it could not be installed here: ${why ?? 'still not found'}.`,
    );
  }
  return still.length === 0 ? 0 : 3;
}

process.exitCode = await main(process.argv.slice(2));
