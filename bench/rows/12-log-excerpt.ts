import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, startChild } from '../child.ts';
import { NotMeasuredError } from '../measure.ts';
import type { Metric, OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

const PROGRAM = new URL('../programs/log-excerpt.ts', import.meta.url);
const GREP = ['-a', '-n', '-E', '-B5', '-A20', 'error|fail|fatal|exception|panic|traceback|assert'];
const LIMIT = 'the limit';
const EXCERPT_BYTES = 32 * 1024;
const MEGABYTE = 1_000_000;
const MAX_CPU_MS_OF_MEGABYTE = 10;
const MAX_STALL_MS = 50;
const MAX_MEMORY_MIB = 64;

/** Row 12: the excerpt of a log of 100 MB, half of which is one line. */
export const logExcerpt: Row = {
  number: 12,
  name: 'log excerpt',
  metrics: [
    toLimited('planted causes that it lacks', { ours: 'lacking', limit: 'planted', unit: 'causes', target: 0 }),
    toLimited('CPU of reading it', { ours: 'cpu', limit: 'max-cpu', unit: 'ms' }),
    toLimited('longest stall of the event loop', { ours: 'stall', limit: 'max-stall', unit: 'ms' }),
    toLimited('growth of the resident memory', { ours: 'memory', limit: 'max-memory', unit: 'MiB' }),
    { kind: 'duration', name: 'reading it', ours: 'read' },
    { kind: 'duration', name: 'grep -nE -B5 -A20 of it', ours: 'grep' },
    { kind: 'amount', name: 'bytes that grep prints', ours: 'grep-bytes', unit: 'bytes' },
  ],
  open: openRow,
};

interface Limited {
  readonly ours: string;
  readonly limit: string;
  readonly unit: string;
  readonly target?: number;
}

/** At most the limit, or at most that part of it. */
function toLimited(name: string, { ours, limit, unit, target = 1 }: Limited): Metric {
  return { kind: 'count', name, ours, peer: { side: limit, name: LIMIT }, target, unit };
}

async function openRow({ memoryDir, quick }: RowContext): Promise<OpenRow> {
  const file = join(memoryDir, 'job.log');
  const causes = writeLog(file, quick ? 4 * MEGABYTE : 100 * MEGABYTE);
  const megabytes = statSync(file).size / MEGABYTE;
  return {
    notes: [
      `${megabytes.toFixed(0)} MB with colours, timestamps and carriage returns; one line has half of it`,
      `${String(causes.length)} causes in ${String(causes.length)} forms; an excerpt of ${String(EXCERPT_BYTES)} bytes, each turn in a new process`,
      'ours: the reader of the GitHub adapter, from a stream of the file, and the excerpt; grep prints into memory',
    ],
    takeTurn: async (index): Promise<Turn> => {
      const grepFirst = index % 2 === 1 ? takeGrep(file) : null;
      const read = await takeRead(file, causes);
      return { ...toTurn(read, { causes: causes.length, megabytes }), ...(grepFirst ?? takeGrep(file)) };
    },
    explain: async () => [],
    close: async () => undefined,
  };
}

async function takeRead(file: string, causes: readonly string[]): Promise<Answer> {
  const child = startChild(PROGRAM, { file, maxBytes: EXCERPT_BYTES, causes });
  try {
    return await child.ask('read');
  } finally {
    await child.stop();
  }
}

function toTurn(
  { lacking = 0, cpuMs = 0, stallMs = 0, memoryMib = 0, wallMs = 0 }: Answer,
  { causes, megabytes }: { readonly causes: number; readonly megabytes: number },
): Turn {
  const cpuUs = cpuMs * 1000;
  return {
    ...{ lacking: amount(lacking), planted: amount(causes) },
    ...{ cpu: amount(cpuMs), 'max-cpu': amount(MAX_CPU_MS_OF_MEGABYTE * megabytes) },
    ...{ stall: amount(stallMs), 'max-stall': amount(MAX_STALL_MS) },
    ...{ memory: amount(memoryMib), 'max-memory': amount(MAX_MEMORY_MIB) },
    read: { wallMs, operations: 1, cpuUs },
  };
}

function amount(operations: number): Sample {
  return { wallMs: 0, operations, cpuUs: null };
}

function takeGrep(file: string): Turn {
  const startedAt = performance.now();
  const { status, stdout } = spawnSync('grep', [...GREP, file], {
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (status !== 0) throw new NotMeasuredError('grep found nothing');
  return {
    grep: { wallMs: performance.now() - startedAt, operations: 1, cpuUs: null },
    'grep-bytes': amount(stdout.length),
  };
}

/** A form of failure for each kind of tool. `@` stands for what is searched in the excerpt. */
const FORMS: readonly string[] = [
  'adds(com.acme.@Test)  Time elapsed: 0.01 sec  <<< FAILURE!',
  '[ERROR] /app/src/@.java:[12,5] cannot find symbol',
  'FAILED tests/test_@.py::test_adds - assert 3 == 4',
  '--- FAIL: Test@ (0.00s)',
  'test sum::@ ... FAILED',
  ' FAIL  test/@.test.ts > sum > adds',
  'not ok 3 - @',
  'rspec ./spec/@_spec.rb:12 # Sum adds',
  '[  FAILED  ] SumTest.@ (0 ms)',
  'src/@.ts(3,5): error TS2322: wrong',
  'src/@.c:3:5: error: expected `;`',
  '@.py:8:9: E128 continuation line under-indented',
  'error[E0308]: mismatched types of @',
  'Traceback (most recent call last): \n  File "@.py", line 3, in add\nValueError: @',
  'Exception in thread "main" java.lang.IllegalStateException: @',
  'panic: runtime error: @',
  'make: *** [@] Error 2',
  "Couldn't establish a connection: error @",
  'Error: @\rdone',
];

/** Writes the log, and returns what was planted. */
function writeLog(file: string, bytes: number): readonly string[] {
  const causes = [...FORMS, 'long line'].map((_, index) => `planted${String(index)}x`);
  const out = openSync(file, 'w');
  const half = bytes / 2;
  const part = Math.floor(half / (FORMS.length + 1));
  let line = 0;
  const fill = (length: number): void => {
    for (let written = 0; written < length; ) {
      let text = '';
      for (; text.length < 64 * 1024; line += 1) text += toHarmlessLine(line);
      writeSync(out, text);
      written += text.length;
    }
  };
  FORMS.forEach((form, index) => {
    fill(part);
    const cause = form.replaceAll('@', causes[index] ?? '');
    for (const text of cause.split('\n')) writeSync(out, `${toTimestamp(line)}\u001B[31m${text}\u001B[0m\r\n`);
  });
  const dots = 'the same progress bar grows and grows. '.repeat(1000);
  for (let written = 0; written < half; written += dots.length) {
    writeSync(out, dots);
    if (written <= half / 2 && written + dots.length > half / 2)
      writeSync(out, ` src/a.ts(3,5): error TS1: ${causes.at(-1) ?? ''} `);
  }
  writeSync(out, '\r\n');
  fill(part);
  closeSync(out);
  return causes;
}

function toTimestamp(line: number): string {
  return `2026-01-01T00:00:00.${String(line % 10_000_000).padStart(7, '0')}Z `;
}

function toHarmlessLine(line: number): string {
  return `${toTimestamp(line)}\u001B[32m✓\u001B[39m module ${String(line)} builds what the step before it has made, and says nothing else\r\n`;
}
