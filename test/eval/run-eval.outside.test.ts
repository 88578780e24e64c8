import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runEval } from '../../eval/run-eval.ts';
import { writeOwnData } from './own-data.ts';

const lineSchema = z.object({
  row: z.string(),
  data: z.string(),
  ours: z.number().nullable(),
  peer: z.record(z.string(), z.number()).nullable(),
  n: z.number(),
  goal: z.string().nullable(),
  met: z.boolean().nullable(),
});
type Line = z.infer<typeof lineSchema>;

let data: string;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'ratchet-eval-'));
  await writeOwnData(data);
});

afterAll(() => rmSync(data, { recursive: true, force: true }));

async function evaluate(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = { RATCHET_EVAL_DATA: data },
): Promise<{ readonly code: number; readonly said: string; readonly output: string; readonly lines: readonly Line[] }> {
  const said: string[] = [];
  let output = '';
  const code = await runEval(args, {
    environment,
    say: (line) => said.push(line),
    print: (text) => {
      output += text;
    },
  });
  const isJson = args.includes('--json');
  const lines = isJson
    ? output
        .trim()
        .split('\n')
        .map((line) => lineSchema.parse(JSON.parse(line)))
    : [];
  return { code, said: said.join('\n'), output, lines };
}

describe('npm run eval', () => {
  it('prints every line of a row with peers, number of cases, goal and verdict', async () => {
    const { code, lines } = await evaluate(['excerpt-bugswarm', '--json']);
    expect(code).toBe(0);
    const [first, ...others] = lines;
    expect(first).toMatchObject({ row: 'excerpt-bugswarm', data: 'BugSwarm-dissection, 8 KiB', n: 3, goal: '>= 90' });
    expect(first?.peer).toEqual({ tail: 0, 'grep, first bytes': 100, 'grep, last bytes': 100 });
    expect(others.map(({ data: about }) => about)).toEqual([
      'BugSwarm-dissection, 32 KiB',
      'BugSwarm-dissection, 512 KiB',
      expect.stringMatching(/^BugSwarm-dissection, 8 KiB, /u),
    ]);
    expect(lines.every(({ ours }) => ours !== null)).toBe(true);
  });

  it.each([
    ['tuning', 3],
    ['held-out', 1],
    ['all', 4],
  ])('measures the part "%s"', async (part, n) => {
    const { lines } = await evaluate(['excerpt-bugswarm', '--json', '--part', part]);
    expect(lines[0]?.n).toBe(n);
  });

  it('takes every nth case', async () => {
    const { lines } = await evaluate(['excerpt-bugswarm', '--json', '--part', 'all', '--sample', '2']);
    expect(lines[0]?.n).toBe(2);
  });

  it('judges real merges by what speaks against them, and looks at no merge twice', async () => {
    const { lines, said } = await evaluate(['merges-real', '--json', '--part', 'all', '--worst', '9']);
    const share = (count: number): number => Math.round((1000 * count) / 7) / 10;
    expect(lines.map(({ ours, n }) => [ours, n])).toEqual([1, 1, 1, 1, 0, 0].map((count) => [share(count), 7]));
    expect(said).toContain('6 of 7 merges had conflicts');
    expect(said).toContain('no clone of FasterXML/jackson-core');
    expect(said).toMatch(/another reason\n.*"c"/u);
    expect(said).toMatch(/undone\n.*"b"/u);
    expect(said).toMatch(/marker left by a person\n.*"a"/u);
  });

  it('replays published results of merge tools through the ladder', async () => {
    const { lines } = await evaluate(['merges-ladder', '--json', '--part', 'all']);
    expect(lines).toMatchObject([
      { ours: 50, peer: { git: 25, mergiraf: 50 }, n: 4, met: true },
      { ours: 25, peer: { git: 0, mergiraf: 25 } },
      { ours: 25 },
    ]);
  });

  it('finds which answers of models are still marked', async () => {
    const { lines } = await evaluate(['merges-answers', '--json', '--part', 'all']);
    expect(lines).toMatchObject([
      { ours: 100, n: 1, met: true },
      { ours: 0, n: 2, met: true },
    ]);
  });

  it('judges recorded patches by what their hunks show, and leaves out what cannot be parsed', async () => {
    const { lines, said } = await evaluate(['patches-recorded', '--json', '--part', 'all']);
    expect(lines).toMatchObject([
      { data: 'CI failed: rejected', ours: 50, n: 2 },
      { data: 'CI failed: held', ours: 0, n: 2 },
      { data: 'CI passed: rejected', ours: 0, n: 1 },
      { data: 'CI passed: held', ours: 0, n: 1 },
    ]);
    expect(said).toContain('3 patches; 1 have hunks that cannot be parsed');
  });

  it('measures every row on its data', async () => {
    const { code, lines } = await evaluate(['--json']);
    expect(code).toBe(0);
    expect(lines.filter(({ ours }) => ours === null)).toEqual([]);
    expect([...new Set(lines.map(({ row }) => row))]).toEqual([
      'excerpt-bugswarm',
      'excerpt-logchunks',
      'excerpt-cidiff',
      'excerpt-repairs',
      'classes-messages',
      'classes-log-classifier',
      'classes-code',
      'classes-logchunks',
      'signatures-made',
      'signatures-logchunks',
      'signatures-bugswarm',
      ...['merges-real', 'merges-ladder', 'merges-answers'],
      ...['changes-made', 'patches-recorded'],
      'prompt',
    ]);
  });

  it('prints a table without --json', async () => {
    const { output } = await evaluate(['excerpt-cidiff']);
    expect(output.split('\n')[0]).toMatch(/^row +data +ours +peer +n +goal$/u);
    expect(output).toContain('cidiff, 8 KiB');
  });

  it('never counts a row without its data as met', async () => {
    const { code, lines, said } = await evaluate(['excerpt-cidiff', 'signatures-made', '--json'], {});
    expect(code).toBe(3);
    expect(said).toContain('not measured: no clone of labri-progress/cidiff');
    expect(lines[0]).toMatchObject({ row: 'excerpt-cidiff', data: 'not measured', ours: null, met: null, n: 0 });
    expect(lines[1]?.row).toBe('signatures-made');
  });

  it('prefers the option to the environment', async () => {
    const { code } = await evaluate(['excerpt-cidiff', '--data', join(data, 'nowhere')]);
    expect(code).toBe(3);
  });

  it.each([
    [['no-such-row'], 'rows are '],
    [['--part', 'some'], '--part is '],
    [['--sample', '0'], '--sample is '],
    [['--worst', 'x'], '--worst is '],
    [['--unknown'], 'unknown'],
  ])('refuses %j', async (args, why) => {
    const { code, said } = await evaluate(args);
    expect(code).toBe(2);
    expect(said.toLowerCase()).toContain(why);
  });
});
