import { parseCheckArgs } from '../../core/commands/parse-check-args.ts';
import type { Command } from '../../core/model/event.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import type { QualityRun } from '../../core/model/quality-run.ts';
import { QUALITY_QUEUE } from '../../core/model/queues.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { forgetCheckRun } from '../tell/send-check-run.ts';
import { toCheckRun } from './tell-quality.ts';

type EffectDeps = Pick<Deps, 'clock' | 'log' | 'newId' | 'store'>;

/** How many runs to search for the newest one with a result. */
const SEARCHED_RUNS = 10;

/** Why `check` or `rebaseline` cannot be carried out as given; null if it can, and for any other command. */
export function findQualityObstacle(deps: Pick<Deps, 'store'>, { key }: Workspace, command: Command): string | null {
  if (command.name === 'check') {
    const parsed = parseCheckArgs(command.args);
    return parsed.kind === 'invalid' ? parsed.why : null;
  }
  if (command.name !== 'rebaseline') return null;
  if (command.args.length === 0) return 'it needs a reason, which is kept with the name of whoever gives it';
  const run = findAcceptable(deps, key);
  if (run === null) return 'the engines have not come to a result on this head yet';
  return run.newFindings.length === 0 ? 'there is no new finding on this head' : null;
}

/** Asks for an extra engine run over the given paths, without the cache. */
export function askForCheck(deps: EffectDeps, { key }: Workspace, { command }: StoredCommand): void {
  const parsed = parseCheckArgs('args' in command ? command.args : []);
  if (parsed.kind === 'invalid') return;
  const { paths, timeoutSeconds } = parsed;
  const ask = { key, id: deps.newId(), paths, timeoutSeconds, refresh: true, askedAt: deps.clock.now() };
  deps.store.askQuality(ask);
  deps.store.markWakeup(QUALITY_QUEUE, key, null);
  deps.log.info({ key, refresh: true, paths: paths?.length ?? null }, 'engines asked for');
}

/**
 * Sends the newest quality report again without running anything, because GitHub's Re-run button makes the check suite wait for a
 * result. An older report, sent again, would stand above the newest one.
 */
export function retellQuality({ store }: Pick<Deps, 'store'>, { key }: Workspace): void {
  const [run] = store.qualityRuns(key, 1);
  if (run === undefined || !store.reopenQualityReport(run.id)) return;
  forgetCheckRun({ store }, toCheckRun(run));
  store.markWakeup(QUALITY_QUEUE, key, null);
}

/**
 * Accepts the new findings of the newest result of this head, with author and reason, for the rest of the pull request. Then asks
 * for a run that updates the check run.
 */
export function rebaseline(deps: EffectDeps, { key }: Workspace, stored: StoredCommand): void {
  const { command, author, receivedAt: at } = stored;
  const [reason] = 'args' in command ? command.args : [];
  const run = findAcceptable(deps, key);
  if (reason === undefined || run === null) return;
  const isDone = deps.store.acceptances(key).some(({ author: who, acceptance }) => {
    return who.id === author.id && acceptance.at === at;
  });
  if (!isDone) {
    const acceptance = { author: author.login, reason, at, findings: run.newFindings };
    deps.store.addAcceptance({ key, author, headSha: run.headSha, acceptance });
    deps.store.appendTransition({
      key,
      action: 'COMMAND',
      code: 'REBASELINED',
      reason: `${author.login} accepted ${String(run.newFindings.length)} new findings of ${run.headSha}: ${reason}`,
      snapshot: null,
      createdAt: deps.clock.now(),
    });
  }
  const ask = { key, id: deps.newId(), paths: null, timeoutSeconds: null, refresh: false, askedAt: deps.clock.now() };
  deps.store.askQuality(ask);
  deps.store.markWakeup(QUALITY_QUEUE, key, null);
  deps.log.info({ key, authorId: author.id, findings: run.newFindings.length }, 'new findings accepted');
}

/** The newest run with a result, if it belongs to the head in the latest webhook. */
function findAcceptable({ store }: Pick<Deps, 'store'>, key: PullRequestKey): QualityRun | null {
  const run = store.qualityRuns(key, SEARCHED_RUNS).find(hasResult) ?? null;
  return run === null || run.headSha !== (store.headHint(key) ?? run.headSha) ? null : run;
}

function hasResult({ conclusion }: QualityRun): boolean {
  return conclusion === 'success' || conclusion === 'failure' || conclusion === 'action_required';
}
