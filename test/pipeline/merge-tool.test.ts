import { describe, expect, it } from 'vitest';
import type { SessionOutcome } from '../../src/core/model/session.ts';
import type { ConflictedFile } from '../../src/ports/git.ts';
import type { MergeTool } from '../../src/ports/merge-tool.ts';
import { aChange, fakeSha } from '../support/builders.ts';
import { MERGED_TREE } from '../support/fake-git.ts';
import type { FakeEnding } from '../support/fake-sites.ts';
import { type Pipeline, startLaunched } from '../support/pipeline-fixture.ts';

const [BASE, OURS, THEIRS, POINTER] = ['base', 'ours', 'theirs', 'pointer'].map((name) => fakeSha(`${name}-blob`));
const MARKED = '<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n';
const MERGED = 'ours\ntheirs\n';
const LOCK = 'package-lock.json';
const TOOL: MergeTool = {
  ...{ name: 'mergiraf', programs: 'merge tool: mergiraf', version: '0.9.0' },
  command: ({ base, ours, theirs, path }) => [`merge ${path}`, base, ours, theirs],
};

function aConflict(path: string, change: Partial<ConflictedFile> = {}): ConflictedFile {
  return { path, baseBlob: BASE ?? null, ourBlob: OURS ?? null, theirBlob: THEIRS ?? null, isText: true, ...change };
}

/** A launched merge with conflicts, and a merge tool that prints `printed` for `src/a.ts`. */
async function start(
  printed: FakeEnding = { stdoutTail: MERGED },
  files: readonly ConflictedFile[] = [aConflict('src/a.ts')],
): Promise<Pipeline> {
  const policyText = JSON.stringify({ version: 1, merge: { regenerate: [{ path: LOCK, command: 'npm i' }] } });
  const pipeline = await startLaunched({ merge: 'conflict', policyText });
  const { git, sites, tools } = pipeline;
  const paths = files.map(({ path }) => path);
  tools.mergeTool = TOOL;
  sites.endWith('merge src/a.ts', printed);
  git.blobs({
    [String(OURS)]: 'ours\n',
    [String(THEIRS)]: 'theirs\n',
    [String(BASE)]: 'base\n',
    [String(POINTER)]: 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
  });
  git.mergesTo(
    { kind: 'conflicted', treeSha: MERGED_TREE, files, named: paths, messages: 'CONFLICT (content)' },
    Object.fromEntries(paths.map((path) => [path, MARKED])),
  );
  git.texts({ after: Object.fromEntries(paths.map((path) => [path, MERGED])) });
  git.agentLeaves({ changes: paths.map((path) => aChange({ path })) });
  return pipeline;
}

async function run(pipeline: Pipeline): Promise<SessionOutcome | null | undefined> {
  await pipeline.runFixup();
  return pipeline.endedSessions()[0]?.outcome;
}

describe('a merge tool', () => {
  it('merges conflicts in a site of its own before any agent, and the result is validated', async () => {
    const pipeline = await start();
    pipeline.agent.setUnavailable('not installed');

    const outcome = await run(pipeline);

    expect(outcome).toMatchObject({
      ...{ kind: 'pushed', madeBy: 'structure', summary: 'Conflicts were merged by the structure of the code.' },
      resolved: [{ by: 'structure', tool: 'mergiraf 0.9.0', paths: ['src/a.ts'] }],
    });
    const [command] = pipeline.sites.commands.filter(({ site }) => site.name === 'merge-structures');
    expect(command?.site).toMatchObject({
      ...{ network: 'none', relays: [], isolation: 'full', limits: 'enforced', dependencies: null },
      inputs: { '0.base': 'base\n', '0.ours': 'ours\n', '0.theirs': 'theirs\n' },
      programs: [TOOL.programs],
    });
    expect(command?.argv).toEqual([
      'merge src/a.ts',
      ...['base', 'ours', 'theirs'].map((side) => `/ratchet/evidence/0.${side}`),
    ]);
    expect(command?.timeoutMs).toBeLessThanOrEqual(60_000);
    expect(pipeline.journal).toContain('run npm test');
    expect(pipeline.journal).not.toContain('run agent');
    expect(pipeline.git.messages[0]).toContain('Ratchet-Merge: 1 file by structure (mergiraf 0.9.0)');
    expect(pipeline.git.remembered).toEqual([]);
  });

  it.each<[string, FakeEnding]>([
    ['finds a conflict', { exitCode: 1, stdoutTail: MARKED }],
    ['fails', { exitCode: 255, stdoutTail: MERGED }],
    ['is stopped for its time', { kind: 'timed_out', exitCode: null, signal: 'SIGKILL', stdoutTail: MERGED }],
    ['prints too much', { kind: 'output_flood', exitCode: null, signal: 'SIGKILL', stdoutTail: MERGED }],
    ['leaves processes', { processesLeft: 1, stdoutTail: MERGED }],
    ['prints nothing', { stdoutTail: '' }],
    ['leaves markers though it succeeds', { stdoutTail: MARKED }],
    ['leaves markers in the style of diff3', { stdoutTail: 'ours\n||||||| base\nbase\n' }],
  ])('leaves a file to the agent where it %s', async (_what, printed) => {
    const pipeline = await start(printed);

    expect(await run(pipeline)).toMatchObject({
      ...{ kind: 'pushed', madeBy: 'agent' },
      resolved: [{ by: 'agent', tool: null, paths: ['src/a.ts'] }],
    });
  });

  it.each<[string, Partial<ConflictedFile>, string]>([
    ['that a side lacks', { ourBlob: null }, 'pushed'],
    ['without a common version', { baseBlob: null }, 'pushed'],
    ['that are no text', { isText: false }, 'rejected'],
    ['that are pointers of Git LFS', { theirBlob: POINTER ?? null }, 'rejected'],
  ])('is not asked about files %s', async (_what, change, kind) => {
    const pipeline = await start({}, [aConflict('src/a.ts', change)]);

    expect(await run(pipeline)).toMatchObject({ kind });
    expect(pipeline.journal).not.toContain('open merge-structures');
  });

  it('leaves lockfiles to their commands, and other conflicts to the agent', async () => {
    const files = ['src/a.ts', LOCK, 'src/b.ts'].map((path) => aConflict(path));
    const pipeline = await start({ stdoutTail: MERGED }, files);
    pipeline.sites.endWith('merge src/b.ts', { exitCode: 1 });
    pipeline.sites.during("cd -- '.' || exit 1\nnpm i", () => pipeline.sites.leave(LOCK, '{}'));

    expect(await run(pipeline)).toMatchObject({
      ...{ kind: 'pushed', madeBy: 'agent' },
      resolved: [
        { by: 'structure', tool: 'mergiraf 0.9.0', paths: ['src/a.ts'] },
        { by: 'regeneration', tool: 'npm i', paths: [LOCK] },
        { by: 'agent', tool: null, paths: ['src/b.ts'] },
      ],
    });
    expect(pipeline.journal).not.toContain(`run merge ${LOCK}`);
  });

  it('is not asked where the same conflict was resolved before', async () => {
    const pipeline = await start();
    pipeline.git.recalls({ 'src/a.ts': MERGED });

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'rerere' });
    expect(pipeline.journal).not.toContain('open merge-structures');
  });

  it('is not trusted: what fails the validation is made again by the agent, in the same attempt', async () => {
    const pipeline = await start();
    const { sites } = pipeline;
    sites.during('npm test', () => {
      sites.endWith('npm test', { exitCode: 1 });
      sites.during('npm test', () => sites.endWith('npm test', {}));
    });

    const outcome = await run(pipeline);

    expect(outcome).toMatchObject({ kind: 'pushed', madeBy: 'agent' });
    expect(pipeline.journal.filter((step) => step === 'open merge-structures')).toHaveLength(1);
  });

  it('is not trusted where every command fails on the head too, so that nothing proves it', async () => {
    const pipeline = await start();
    pipeline.sites.endWith('npm test', { exitCode: 1 });

    expect(await run(pipeline)).toMatchObject({
      kind: 'pushed',
      madeBy: 'agent',
      validation: [{ failedBefore: true }],
    });
  });

  it('is refused like every resolution that adds lines which no side has', async () => {
    const pipeline = await start({ stdoutTail: 'made up\n'.repeat(1_001) });

    expect(await run(pipeline)).toMatchObject({ kind: 'pushed', madeBy: 'agent' });
    expect(pipeline.log.some(({ message }) => message === 'the merge by structure was refused')).toBe(true);
  });
});
