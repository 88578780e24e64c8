import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import { aCheck, aPullRequest } from '../support/builders.ts';
import { LIVE_SECRET, type Pipeline, startEnabled } from '../support/pipeline-fixture.ts';

const HEAD = aPullRequest().headSha;
const UNAVAILABLE = new GitHubError('UNAVAILABLE', 'no', { retry: 'now' });

const MATCHER = JSON.stringify({
  problemMatcher: [{ owner: 'own', pattern: [{ regexp: '^oops (\\S+) (\\d+) (.+)$', file: 1, line: 2, message: 3 }] }],
});

const LOG = [
  '##[group]Run npm test',
  'npm test',
  '##[endgroup]',
  '##[add-matcher].github/own.json',
  'oops lib/own.own 7 it broke',
  `src/a.ts(3,5): error TS2322: Type '${LIVE_SECRET}' is not assignable to type 'number'.`,
  'src/gone.ts(4,1): error TS2304: Cannot find name.',
  '##[error]Process completed with exit code 2.',
]
  .map((line) => `2026-03-01T08:00:00.0000000Z ${line}`)
  .join('\n');

async function startRed(): Promise<Pipeline> {
  const pipeline = await startEnabled({ checks: [aCheck({ status: 'in_progress', conclusion: null })] });
  pipeline.github.setJobLog(LOG);
  for (const path of ['src/a.ts', 'lib/own.own']) pipeline.github.setBlob({ sha: HEAD, path }, 'text');
  pipeline.github.setBlob({ sha: HEAD, path: '.github/own.json' }, MATCHER);
  pipeline.github.change({ checks: [aCheck({ conclusion: 'failure', workflowRunId: 900 })] });
  return pipeline;
}

const summaryOf = (pipeline: Pipeline): string => pipeline.github.checkRuns().at(-1)?.content.summary ?? '';
const reportedBy = (pipeline: Pipeline): readonly unknown[] => pipeline.workspace().diagnosis?.failures ?? [];

describe('what a red job reports', () => {
  it('is linked in the check run where the head has the file, and stored without secrets', async () => {
    const pipeline = await startRed();
    await pipeline.evaluate();

    const url = (path: string): string => `https://github.test/acme/widget/blob/${HEAD}/${path}`;
    expect(summaryOf(pipeline)).toContain(`  - [\`src/a.ts:3\`](<${url('src/a.ts#L3')}>) \`TS2322\`: Type '`);
    expect(summaryOf(pipeline)).toContain(`  - [\`lib/own.own:7\`](<${url('lib/own.own#L7')}>): it broke`);
    expect(summaryOf(pipeline)).not.toContain('gone');
    expect(reportedBy(pipeline)).toMatchObject([
      { job: 'build', tool: 'problem matcher', path: 'lib/own.own', line: 7 },
      { job: 'build', path: 'src/a.ts', line: 3, rule: 'TS2322' },
    ]);
    expect(JSON.stringify(reportedBy(pipeline))).not.toContain(LIVE_SECRET);
  });

  it('is asked for once for each CI result', async () => {
    const pipeline = await startRed();
    await pipeline.evaluate();
    const before = pipeline.github.calls.filter((call) => call === 'readBlobs').length;
    await pipeline.evaluate();

    expect(before).toBe(2);
    expect(pipeline.github.calls.filter((call) => call === 'readBlobs')).toHaveLength(before);
  });

  it('is not linked while GitHub does not say whether the file exists', async () => {
    const pipeline = await startRed();
    pipeline.github.setJobLog(LOG.replace('##[add-matcher].github/own.json', ''));
    pipeline.github.failNext('readBlobs', UNAVAILABLE);
    await pipeline.evaluate();

    expect(reportedBy(pipeline)).toEqual([]);
    expect(summaryOf(pipeline)).toContain('`build`: failure');
    expect(summaryOf(pipeline)).not.toContain('src/a.ts#L3');
  });

  it('is what annotations say, too, where the log names nothing else at the place', async () => {
    const pipeline = await startRed();
    const at = { startLine: 3, endLine: 3, level: 'failure' } as const;
    pipeline.github.setAnnotations([
      { ...at, path: 'src/a.ts', message: 'the compiler again' },
      { ...at, path: 'lib/own.own', startLine: 9, message: `a rule of ${LIVE_SECRET}` },
      { ...at, path: 'lib/own.own', startLine: 1, level: 'warning', message: 'a warning' },
      { ...at, path: '.github', message: 'Process completed with exit code 2.' },
    ]);
    pipeline.git.texts({ head: { 'package.json': '{"scripts":{"test":"node --test"}}', 'lib/own.own': '' } });
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(reportedBy(pipeline)).toHaveLength(3);
    expect(reportedBy(pipeline)).toMatchObject([{ line: 7 }, { path: 'src/a.ts' }, { path: 'lib/own.own', line: 9 }]);
    const json = pipeline.sites.opened.map(({ inputs }) => inputs['check-1-failures.json'] ?? '').join('');
    const listed: unknown = JSON.parse(json);
    expect(listed).toContainEqual(expect.objectContaining({ kind: 'place', path: 'lib/own.own', line: 9 }));
    expect(json).not.toMatch(/again|a warning|Process completed/u);
    expect(json + JSON.stringify(reportedBy(pipeline))).not.toContain(LIVE_SECRET);
  });

  it('is what annotations say where no log can be read', async () => {
    const pipeline = await startRed();
    pipeline.github.setAnnotations([
      { path: 'src/a.ts', startLine: 3, endLine: 3, level: 'failure', message: 'not a number' },
    ]);
    pipeline.git.texts({ head: { 'package.json': '{"scripts":{"test":"node --test"}}', 'src/a.ts': '' } });
    pipeline.github.setJobLog(null);
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(reportedBy(pipeline)).toMatchObject([{ path: 'src/a.ts', line: 3, message: 'not a number' }]);
    const inputs = pipeline.sites.opened.find(({ name }) => name === 'agent')?.inputs;
    const listed: unknown = JSON.parse(inputs?.['check-1-failures.json'] ?? '');
    expect(listed).toMatchObject([{ path: 'src/a.ts', line: 3 }]);
    expect(inputs?.['check-1.txt']).toContain('(no log can be read)');
  });

  it('goes to the agent as JSON beside the excerpt, with tracked paths and without secrets', async () => {
    const pipeline = await startRed();
    const manifest = '{"scripts":{"test":"node --test"}}';
    pipeline.git.texts({
      head: { 'package.json': manifest, '.github/own.json': MATCHER, 'packages/one/src/a.ts': '', 'lib/own.own': '' },
    });
    await pipeline.evaluate();
    await pipeline.runFixup();

    const json = pipeline.sites.opened.map(({ inputs }) => inputs['check-1-failures.json'] ?? '').join('');
    expect(JSON.parse(json)).toMatchObject([
      { kind: 'place', tool: 'problem matcher', path: 'lib/own.own', line: 7, message: 'it broke' },
      { kind: 'place', path: 'packages/one/src/a.ts', line: 3, column: 5, rule: 'TS2322', step: 'npm test' },
      { path: 'src/gone.ts', line: 4 },
    ]);
    expect(json).not.toContain(LIVE_SECRET);
    expect(pipeline.agent.requests[0]?.instructions.task_prompt).toContain('check-1-failures.json');
  });
});
