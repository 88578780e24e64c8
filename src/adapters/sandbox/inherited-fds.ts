import { readdir, readFile } from 'node:fs/promises';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Returns the file descriptors above 2 that a child would inherit. Node opens its own with close-on-exec, but those
 * that it inherited (from a shell, a supervisor) pass to every child, sandboxed or not. Empty without /proc.
 */
export async function findInheritedFds(): Promise<readonly number[]> {
  try {
    const fds = (await readdir('/proc/self/fdinfo')).map(Number).filter((fd) => fd > 2);
    const inherited = await Promise.all(fds.map(async (fd) => ((await isInherited(fd)) ? fd : null)));
    return inherited.filter((fd) => fd !== null);
  } catch {
    return [];
  }
}

async function isInherited(fd: number): Promise<boolean> {
  try {
    const info = await readFile(`/proc/self/fdinfo/${String(fd)}`, 'utf8');
    const [, flags = '0'] = /^flags:\s+([0-7]+)$/m.exec(info) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed after it was listed.
    return false;
  }
}
