import process from 'node:process';

/** How long this thread computes for `work`, in milliseconds. Others on the machine do not count, however busy they are. */
export function toCpuMs(work: () => void): number {
  const begun = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}
