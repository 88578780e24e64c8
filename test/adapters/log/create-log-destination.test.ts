import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createLogDestination } from '../../../src/adapters/log/create-log-destination.ts';

it('drops lines while too many wait, and says how many once they are read', () => {
  const lines: string[] = [];
  const stream = { writableLength: 0, write: (line: string) => lines.push(line) };
  const destination = createLogDestination(stream, 10);

  destination.write('one\n');
  stream.writableLength = 11;
  destination.write('two\n');
  destination.write('three\n');
  stream.writableLength = 10;
  destination.write('four\n');
  destination.write('five\n');

  expect(lines).toEqual(['one\n', expect.stringContaining('"dropped":2'), 'four\n', 'five\n']);
});

it('does not hold up the event loop of a process whose output nobody reads', async () => {
  const module = fileURLToPath(new URL('../../../src/adapters/log/create-log-destination.ts', import.meta.url));
  const program = `
    const { createLogDestination } = await import(${JSON.stringify(module)});
    const { write } = createLogDestination(process.stdout);
    for (let nth = 0; nth < 2000; nth += 1) write('x'.repeat(10_000) + '\\n');
    process.stderr.write('written', () => process.exit());
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });

  // Stdout is a pipe of 64 KiB from which nobody reads.
  child.stderr.setEncoding('utf8');
  expect(await once(child.stderr, 'data')).toEqual(['written']);
  child.kill('SIGKILL');
});
