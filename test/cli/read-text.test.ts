import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readText } from '../../src/cli/read-text.ts';

describe('readText', () => {
  it.each([
    ['nothing', [], ''],
    ['a character that lies in two chunks', [Buffer.from([0xc3]), Buffer.from([0xa4])], 'ä'],
    ['exactly the limit', [Buffer.from('1234'), Buffer.from('5678')], '12345678'],
  ])('reads %s', async (_what, chunks, text) => {
    expect(await readText(Readable.from(chunks, { objectMode: false }), 8)).toBe(text);
  });

  it('stops reading an endless stream at the limit', async () => {
    const endless = new Readable({ read: (size) => void endless.push(Buffer.alloc(size)) });

    expect(await readText(endless, 100_000)).toBeNull();
    expect(endless.destroyed).toBe(true);
  });

  it('fails when the stream does', async () => {
    const broken = new Readable({ read: () => void broken.destroy(new Error('gone')) });

    await expect(readText(broken, 8)).rejects.toThrow('gone');
  });
});
