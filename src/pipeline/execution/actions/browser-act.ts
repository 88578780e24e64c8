import { findBrowserProblem, toScreenshotFile } from '../../../core/execution/browser-step.ts';
import type { BrowserStep } from '../../../core/model/browser-step.ts';
import type { PlaceBrowser } from '../../../ports/browser.ts';
import type { ActionAdapter } from '../../../ports/execution.ts';
import type { Workplace } from '../../../ports/workplace.ts';
import { failed } from './file-action.ts';
import { prepareRecord, restoresRecord, undoRecord } from './folder-record.ts';

/** What `browser_act` needs besides its place. */
export interface BrowserParts {
  readonly browser: PlaceBrowser;
  readonly parse: (params: unknown) => BrowserStep;
  /** Keeps a screenshot as an artifact. Returns where people find it. */
  readonly keep: (name: string, png: Uint8Array) => Promise<string>;
}

/**
 * `browser_act`: looks at what a command of the same step serves, in a browser (004.R3). What that command writes is undone with the
 * whole folder, as for `run_command`. Screenshots stay.
 */
export function createBrowserAct({ browser, parse, keep }: BrowserParts): ActionAdapter<Workplace> {
  return {
    actionType: 'browser_act',
    toolName: 'look at pages',
    estimateUsd: 0,
    prepareUndo: async (_step, { place }, signal) => prepareRecord(place, signal),
    restoresPlace: restoresRecord,
    act: async ({ step_id, params, timeout_seconds }, { place }, signal) => {
      const step = parse(params);
      const problem = findBrowserProblem(step);
      if (problem !== null) return { ...failed(problem), hasActed: false };
      const end = await browser.run(step, { place, timeoutMs: timeout_seconds * 1000 }, signal);
      const kept: string[] = [];
      for (const { name, png } of end.screenshots) {
        kept.push(`screenshot ${name}: ${await keep(toScreenshotFile(step_id, name), png)}`);
      }
      const output = [...end.did, ...kept].map((line) => `${line}\n`).join('');
      if (end.problem === null) return { kind: 'completed', output, costUsd: null };
      return { ...failed(end.problem, output), ...(end.hasActed ? {} : { hasActed: false }) };
    },
    undo: undoRecord,
  };
}
