import type { World } from '../world/start-world.ts';

/** Prints what happens on stdout, with the seconds since the start. */
export interface Narrator {
  readonly say: (text: string) => void;
  /** Receives a chunk of the App's log, as JSON lines. */
  readonly hear: (chunk: string) => void;
}

type Line = Readonly<Record<string, unknown>>;

/** What is printed for each message of the App's log. Other messages are not printed. */
const TELLERS: Readonly<Record<string, (line: Line, world: World, repo: string) => string | null>> = {
  'delivery received': (line, world, repo) => tellDelivery(line, world, repo),
  'command carried out': (line) => `command   ${text(line, 'command')}: permission is there, done`,
  'action determined': (line) => `decision  ${text(line, 'action')} (${text(line, 'code')}): ${text(line, 'reason')}`,
  'red CI diagnosed': (line) =>
    `diagnosis ${text(line, 'red')} red check(s): ${text(line, 'flaky')} look flaky, ${text(line, 'redOnBase')} red on the base too`,
  'failed jobs asked to run again': (line) => `re-run    asked for ${text(line, 'runs')} run(s), no attempt spent`,
  'branch update asked for': (line) =>
    `update    of the branch to ${sha(line, 'baseSha')}, by GitHub, no attempt spent`,
  'auto-merge turned off': () => 'hold      auto-merge is turned off before the push',
  'fixup launched': (line) => `fixup     launched for ${text(line, 'issue')}, attempt ${text(line, 'attempt')}`,
  'setup read registries': (line) =>
    `setup     installed dependencies in a sandbox: ${text(line, 'requests')} requests to registries, ${text(line, 'bytes')} bytes`,
  'merge tried': (line) => `merge     git's own merge with ${sha(line, 'baseSha')}: ${text(line, 'merge')}`,
  'conflicts recalled': (line) =>
    `merge     ${text(line, 'of')} file(s) in conflict, ${text(line, 'recalled')} resolved like this before`,
  'files regenerated': (line) => `merge     ${text(line, 'made')} file(s) made anew by their own command`,
  'agent started': (line) => `agent     "${text(line, 'agent')}" starts in its sandbox`,
  'agent ended': (line) =>
    `agent     ${text(line, 'ended')}, exit code ${text(line, 'exitCode')}, after ${text(line, 'durationMs')} ms`,
  'gate: policy passed': (line) => `gate      policy passed: ${text(line, 'files')} file(s) changed`,
  'gate: refused by policy': (line) => `gate      REFUSED by policy: ${text(line, 'code')}`,
  'validation ran': (line) =>
    `gate      validation in a fresh sandbox: exit code ${text(line, 'exitCode')}, ${text(line, 'durationMs')} ms`,
  'push planned': (line) => `gate      passed; commit ${sha(line, 'commitSha')} is built, intent to push written`,
  pushed: (line) => `push      ${sha(line, 'commitSha')}, with a lease on the old head`,
  'review answered': (line) => tellReview(line),
  'fixup completed': (line) => `fixup     ended: ${text(line, 'exitReason')}${tellUse(line)}`,
  'comment updated': () => 'comment   edited in place: what a person has to do',
  'check run updated': (line) => `check run "${text(line, 'title')}" on ${sha(line, 'headSha')}`,
};

/** What it used of a model; nothing for an agent without one. */
function tellUse(line: Line): string {
  const { model } = line;
  if (typeof model !== 'string') return '';
  return `; ${text(line, 'calls')} calls to ${model}, ${text(line, 'usd')} USD`;
}

/** A narrator for one repository of the world. */
export function createNarrator(world: World, repo: string): Narrator {
  const startedAt = performance.now();
  const say = (told: string): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
    console.log(`${seconds}s  ${told}`);
  };
  let rest = '';
  return {
    say,
    hear(chunk) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const json of lines) {
        const line = parse(json);
        const told = TELLERS[text(line, 'msg')]?.(line, world, repo) ?? null;
        if (told !== null) say(told);
        if (line['level'] === 50) say(`error     ${json.slice(0, 500)}`);
      }
    },
  };
}

/** Logged twice: for the agent's answers, and for the review that is posted once the commit is part of the head. */
function tellReview(line: Line): string {
  if (line['items'] !== undefined)
    return `agent     answers ${text(line, 'items')} review item(s): ${text(line, 'verdict')}`;
  return `review    one review with ${text(line, 'replies')} repl(ies), for ${sha(line, 'commitSha')}`;
}

function tellDelivery(line: Line, world: World, repo: string): string | null {
  if (line['ignored'] !== null) return null;
  const action = line['action'] === null ? '' : `.${text(line, 'action')}`;
  const result = text(line, 'eventName') === 'workflow_run' && action === '.completed' ? tellCi(world, repo) : '';
  return `delivery  ${text(line, 'eventName')}${action}${result}`;
}

function tellCi(world: World, repo: string): string {
  const run = world.workflowRuns(repo).findLast(({ status }) => status === 'completed');
  return run === undefined ? '' : `  ← CI at ${run.headSha.slice(0, 10)}: ${run.conclusion ?? '?'}`;
}

function text(line: Line, field: string): string {
  const value = line[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function sha(line: Line, field: string): string {
  return text(line, field).slice(0, 10);
}

function parse(json: string): Line {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
