import type { Readable, Writable } from 'node:stream';

const NEWLINE = 10;

/**
 * Asks `git cat-file --batch` for one object after the other. The returned function gives its content, or null if it is missing;
 * it throws if git ends.
 */
export function readBatch(git: {
  readonly stdin: Writable;
  readonly stdout: Readable;
}): (id: string) => Promise<Buffer | null> {
  const chunks: AsyncIterator<Buffer> = git.stdout[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<Buffer> => {
    const next = await chunks.next();
    if (next.done === true) throw new Error('git cat-file ended');
    return next.value;
  };
  const takeLine = async (): Promise<string> => {
    let end = rest.indexOf(NEWLINE);
    while (end < 0) {
      rest = Buffer.concat([rest, await more()]);
      end = rest.indexOf(NEWLINE);
    }
    const line = rest.subarray(0, end).toString('utf8');
    rest = rest.subarray(end + 1);
    return line;
  };
  const takeBytes = async (count: number): Promise<Buffer> => {
    const parts = [rest];
    for (let have = rest.length; have < count; ) {
      const chunk = await more();
      parts.push(chunk);
      have += chunk.length;
    }
    const all = Buffer.concat(parts);
    rest = all.subarray(count);
    return all.subarray(0, count);
  };
  return async (id) => {
    git.stdin.write(`${id}\n`);
    const size = /^\S+ \S+ (\d+)$/u.exec(await takeLine())?.[1];
    if (size === undefined) return null;
    const content = await takeBytes(Number(size) + 1);
    return content.subarray(0, -1);
  };
}
