import { describe, expect, it } from 'vitest';
import { toAnswerButton } from '../../src/core/commands/buttons.ts';
import { aPerson } from '../support/builders.ts';
import { type Pipeline, REVIEWER, startLaunched, WRITER } from '../support/pipeline-fixture.ts';

const READER = aPerson({ id: 52, login: 'reader' });
const QUESTION = 'Which sum is meant?';

/** The agent of the first fixup asks, and the pull request waits for the answer. */
async function startAsked(choices: readonly string[] = []): Promise<Pipeline> {
  const pipeline = await startLaunched();
  pipeline.agent.ask(QUESTION, choices);
  await pipeline.settle();
  expect(pipeline.workspace().stop).toMatchObject({ code: 'QUESTION', reason: `The agent asks: ${QUESTION}` });
  return pipeline;
}

const launches = (pipeline: Pipeline): number =>
  pipeline.log.filter(({ message }) => message === 'fixup launched').length;
const lastCheckRun = (pipeline: Pipeline) => pipeline.github.checkRuns().at(-1)?.content;
const lastReply = (pipeline: Pipeline): string => pipeline.replies().at(-1) ?? '';

async function say(pipeline: Pipeline, body: string, author = REVIEWER): Promise<void> {
  pipeline.comment(body, { author });
  await pipeline.evaluate();
}

describe('a question of an agent (004.R36)', () => {
  it('is shown, counts no attempt, and nothing is launched until somebody answers', async () => {
    const pipeline = await startAsked();
    await pipeline.evaluate();

    expect(lastCheckRun(pipeline)).toMatchObject({
      conclusion: 'action_required',
      title: 'The agent asks a question',
    });
    expect(lastCheckRun(pipeline)?.summary).toContain(QUESTION);
    expect(lastCheckRun(pipeline)?.summary).toContain('/ratchet answer TEXT');
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(launches(pipeline)).toBe(1);
  });

  it('is answered by somebody who may write; the agent starts again and reads the answer', async () => {
    const pipeline = await startAsked();
    await say(pipeline, '/ratchet answer that of the *positive* numbers');
    expect(pipeline.workspace().stop).toBeNull();
    expect(pipeline.transitions().map(({ code }) => code)).toContain('ANSWERED');
    expect(launches(pipeline)).toBe(2);

    pipeline.agent.answer('success');
    await pipeline.settle();
    const prompt = pipeline.agent.requests.at(-1)?.instructions.task_prompt ?? '';
    expect(prompt).toContain('what a maintainer answered to earlier questions of yours');
    expect(prompt).toContain(`Answer: that of the *positive* numbers`);
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('is shown with its answer', async () => {
    const pipeline = await startAsked();
    await say(pipeline, '/ratchet answer the first');
    pipeline.agent.answer('failure');
    await pipeline.settle();
    await pipeline.evaluate();
    expect(lastCheckRun(pipeline)?.summary).toContain(`@${REVIEWER.login} answered`);
    expect(lastCheckRun(pipeline)?.summary).toContain('the first');
  });

  it('has its choices as buttons, and takes the choice of the button that is pressed', async () => {
    const pipeline = await startAsked(['yes', 'no']);
    const [, no] = lastCheckRun(pipeline)?.actions ?? [];
    expect(lastCheckRun(pipeline)?.actions.map(({ label }) => label)).toEqual(['yes', 'no']);
    expect(no?.identifier.length).toBeLessThanOrEqual(20);

    const [, number = '', tag = ''] = no?.identifier.split(':') ?? [];
    pipeline.pressButton('answer', WRITER, [number, tag]);
    await pipeline.evaluate();
    pipeline.agent.answer('success');
    await pipeline.settle();
    expect(pipeline.agent.requests.at(-1)?.instructions.task_prompt).toContain('Answer: no');
  });

  it('takes the choice of a button by its place, also where choices are numbers', async () => {
    const pipeline = await startAsked(['2', '1']);
    const [first] = lastCheckRun(pipeline)?.actions ?? [];
    expect(first?.label).toBe('2');

    const [, number = '', tag = ''] = first?.identifier.split(':') ?? [];
    pipeline.pressButton('answer', WRITER, [number, tag]);
    await pipeline.evaluate();
    pipeline.agent.answer('success');
    await pipeline.settle();
    expect(pipeline.agent.requests.at(-1)?.instructions.task_prompt).toContain('Answer: 2');
  });

  it('mentions nobody and shows no markup, whatever its choices and its answer are', async () => {
    const pipeline = await startAsked(['@acme/team', '<img src=x>', '/ratchet disable']);
    await say(pipeline, '/ratchet answer maybe');
    const texts = [lastReply(pipeline), lastCheckRun(pipeline)?.summary ?? ''];
    for (const text of texts) {
      const outsideOfCode = text.replaceAll(/`[^`]*`/gu, '');
      expect(outsideOfCode).not.toMatch(/@acme|(?<!\\)<img|^\/ratchet disable/mu);
    }
    expect(pipeline.workspace().stop?.code).toBe('QUESTION');
    expect(pipeline.workspace().enablement).toBe('enabled');
  });

  it('takes no answer that is not among its choices, and says which there are', async () => {
    const pipeline = await startAsked(['yes', 'no']);
    await say(pipeline, '/ratchet answer maybe');
    expect(lastReply(pipeline)).toContain('the possible answers are: yes, no');
    expect(pipeline.workspace().stop?.code).toBe('QUESTION');
    expect(launches(pipeline)).toBe(1);

    await say(pipeline, '/ratchet answer YES');
    expect(launches(pipeline)).toBe(2);
  });

  it('is not answered by the button of an older question', async () => {
    const pipeline = await startAsked(['yes', 'no']);
    const [first] = pipeline.endedSessions();
    await say(pipeline, '/ratchet answer yes');
    await pipeline.settle();
    expect(pipeline.workspace().stop?.code).toBe('QUESTION');

    const [, number = '', tag = ''] =
      first === undefined ? [] : toAnswerButton('no', 1, first.id).identifier.split(':');
    pipeline.pressButton('answer', WRITER, [number, tag]);
    await pipeline.evaluate();
    expect(lastReply(pipeline)).toContain('another question is open by now');
    expect(pipeline.workspace().stop?.code).toBe('QUESTION');
  });

  it('is not answered by who may not write', async () => {
    const pipeline = await startAsked();
    pipeline.github.permit(READER.login, READER.id, 'read');
    await say(pipeline, '/ratchet answer anything', READER);
    expect(pipeline.workspace().stop?.code).toBe('QUESTION');
    expect(launches(pipeline)).toBe(1);
  });

  it('is over after a retry, and an answer then says that nothing is asked', async () => {
    const pipeline = await startAsked();
    await say(pipeline, '/ratchet retry');
    expect(launches(pipeline)).toBe(2);
    await say(pipeline, '/ratchet answer late');
    expect(lastReply(pipeline)).toContain('no question waits for an answer');
    expect(launches(pipeline)).toBe(2);
  });

  it.each(['/ratchet answer', '/ratchet answer   '])('needs a text: %j', async (body) => {
    const pipeline = await startAsked();
    await say(pipeline, body);
    expect(lastReply(pipeline)).toContain('the answer has no text');
    expect(pipeline.workspace().stop?.code).toBe('QUESTION');
  });
});

it('an answer where nothing is asked launches nothing', async () => {
  const pipeline = await startLaunched();
  await pipeline.settle();
  const before = launches(pipeline);
  await say(pipeline, '/ratchet answer yes');
  expect(lastReply(pipeline)).toContain('no question waits for an answer');
  expect(launches(pipeline)).toBe(before);
});
