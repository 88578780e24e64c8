import type { World } from '../../world/start-world.ts';
import type { LogLine, Ratchet } from './ratchet-process.ts';
import {
  openRedPullRequest,
  ownPushes,
  type RedOptions,
  type RedPullRequest,
  ratchetChecks,
  untilConcluded,
  WRITER,
} from './red-repository.ts';

/** One pull request of its own repository, on a world and an App that it shares with other stories. */
export interface Story extends RedPullRequest {
  /** By this the App's log names it. */
  readonly key: string;
  readonly enable: () => void;
  /** Waits until GitHub's CI has ended at its head. */
  readonly untilCiEnded: () => Promise<void>;
  /** Lines of the App's log about it, with this message. */
  readonly lines: (msg: string) => readonly LogLine[];
  /** Codes of its decisions, in order; equal ones in a row are one. */
  readonly codes: () => readonly string[];
  /** Waits for the next line about it with this message; one that was written before does not count. */
  readonly untilNext: (msg: string, fields?: Readonly<Record<string, unknown>>) => Promise<LogLine>;
  /** Waits for a line about it with this message, past ones included. */
  readonly untilLine: (msg: string, fields?: Readonly<Record<string, unknown>>) => Promise<LogLine>;
  /** Waits for a decision with this code, past ones included. */
  readonly untilCode: (code: string) => Promise<LogLine>;
  /**
   * Waits until the check run at the head has this conclusion, and the log, which comes by another way, has told so; returns title
   * and summary.
   */
  readonly untilConcluded: (conclusion: string) => Promise<string>;
  /** Title of the check run at the head. */
  readonly title: () => Promise<string>;
  readonly pushes: () => World['pushes'];
  /** Comments of the App on it. */
  readonly ownComments: () => ReturnType<World['comments']>;
}

/** Where a story takes place. */
export interface Place {
  readonly world: World;
  readonly ratchet: Ratchet;
}

/** Opens the pull request; its name is that of its owner, who no other story waits for, and its title, by which the scripted agent can choose its steps. */
export async function openStory(place: Place, options: RedOptions & { readonly name: string }): Promise<Story> {
  return toStory(
    place,
    await openRedPullRequest(place.world, { owner: options.name, title: options.name, ...options }),
  );
}

/** The story of a pull request that is open already. */
export async function toStory({ world, ratchet }: Place, red: RedPullRequest): Promise<Story> {
  const { repositoryId } = await world.pullRequest(red.repo, red.number);
  const key = `${String(repositoryId)}#${String(red.number)}`;
  const isOurs = (line: LogLine, msg: string, fields: Readonly<Record<string, unknown>>): boolean =>
    line.msg === msg && line['key'] === key && Object.entries(fields).every(([name, value]) => line[name] === value);
  const lines = (msg: string): readonly LogLine[] => ratchet.lines.filter((line) => isOurs(line, msg, {}));
  const untilLine: Story['untilLine'] = (msg, fields = {}) =>
    ratchet.untilLog(
      (line) => isOurs(line, msg, fields),
      `${msg} ${JSON.stringify(fields)} of ${red.repo}`,
      (line) => line['key'] === key,
    );
  return {
    ...red,
    key,
    lines,
    untilLine,
    enable: () => {
      world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    },
    untilCiEnded: () =>
      world.until(
        async () => {
          const checks = await world.checkRuns(red.repo, red.number, { name: 'test' });
          return checks.length > 0 && checks.every(({ status }) => status === 'completed');
        },
        { what: `CI to end at the head of ${red.repo}` },
      ),
    codes: () => {
      const all = lines('action determined').map((line) => String(line['code']));
      return all.filter((code, index) => code !== all[index - 1]);
    },
    untilNext: (msg, fields = {}) => {
      const past = new Set(ratchet.lines);
      const isNext = (line: LogLine): boolean => !past.has(line) && isOurs(line, msg, fields);
      return ratchet.untilLog(
        isNext,
        `another ${msg} ${JSON.stringify(fields)} of ${red.repo}`,
        (line) => line['key'] === key,
      );
    },
    untilCode: (code) => untilLine('action determined', { code }),
    untilConcluded: async (conclusion) => {
      const text = await untilConcluded(world, red, conclusion);
      const headSha = await world.headSha(red.repo, red.number);
      await untilLine('check run updated', { headSha, checkRun: 'Ratchet', conclusion });
      return text;
    },
    title: async () => (await ratchetChecks(world, red)).at(-1)?.output.title ?? '',
    pushes: () => ownPushes(world, red.repo),
    ownComments: () =>
      world.comments(red.repo, red.number).filter(({ authorLogin }) => authorLogin === world.botUser.login),
  };
}
