import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { BrowserReport, BrowserTask } from '../../core/model/browser-step.ts';
import type { CommandEnd } from '../../core/model/command-end.ts';
import type { BrowserEnd, PlaceBrowser } from '../../ports/browser.ts';
import { readBrowserReport } from '../../schemas/browser-task.ts';
import { findBrowser } from './find-browser.ts';

/** Options of `createPlaceBrowser`. */
export interface PlaceBrowserOptions {
  /** Puts `browser-program.mjs` and Playwright where a place can read them. Returns the paths of Node and the program. */
  readonly prepare: () => Promise<{ readonly nodePath: string; readonly program: string }>;
  /** The browser that the person names; null: look for one. */
  readonly executable: string | null;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The program ends by itself before the executor ends the step: a busy machine may need so long for that. */
const MARGIN_MS = 10_000;

/** Drives the Chromium of the system inside a workplace, through Playwright. */
export function createPlaceBrowser({ prepare, executable }: PlaceBrowserOptions): PlaceBrowser {
  return {
    run: async (step, { place, timeoutMs }, signal) => {
      const browser = await findBrowser(executable);
      if (browser === null) return notStarted(executable);
      const { nodePath, program } = await prepare();
      const task: BrowserTask = { ...step, browser, timeoutMs: Math.max(timeoutMs / 2, timeoutMs - MARGIN_MS) };
      const reports = readReports();
      const end = await place.run(
        {
          ...{ argv: [nodePath, program], cwd: '.', timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES },
          stdin: JSON.stringify(task),
          onStdout: reports.add,
        },
        signal,
      );
      return toEnd(end, await reports.end());
    },
  };
}

function notStarted(executable: string | null): BrowserEnd {
  const problem =
    executable === null
      ? 'there is no Chromium on this machine: install the package "chromium", or name one with RATCHET_CHROMIUM'
      : `RATCHET_CHROMIUM names ${executable}, and there is no program`;
  return { problem, hasActed: false, did: [], screenshots: [] };
}

function readReports(): {
  readonly add: (chunk: Uint8Array) => void;
  readonly end: () => Promise<readonly BrowserReport[]>;
} {
  const stream = new PassThrough();
  const reports: BrowserReport[] = [];
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    const report = readBrowserReport(line);
    if (report !== null) reports.push(report);
  });
  const closed = new Promise<void>((resolve) => lines.once('close', resolve));
  return {
    add: (chunk) => stream.write(chunk),
    end: async () => {
      stream.end();
      await closed;
      return reports;
    },
  };
}

function toEnd({ kind, processesLeft, stderrTail }: CommandEnd, reports: readonly BrowserReport[]): BrowserEnd {
  const ends = reports.flatMap((report) => (report.type === 'end' ? [report] : []));
  const [end] = ends;
  return {
    problem: findProblem(),
    hasActed: kind !== 'not_started',
    did: reports.flatMap((report) => (report.type === 'did' ? [report.what] : [])),
    screenshots: reports.flatMap((report) =>
      report.type === 'screenshot' ? [{ name: report.name, png: Buffer.from(report.png, 'base64') }] : [],
    ),
  };

  function findProblem(): string | null {
    if (kind === 'not_started') return `the browser could not be started: ${stderrTail.trim()}`;
    if (kind !== 'exited') return `the browser was ended (${kind})`;
    if (processesLeft > 0) return 'the browser left processes that could not be ended';
    if (end === undefined || ends.length > 1) return `the browser ended without a result: ${stderrTail.trim()}`;
    if (end.problem === null) return null;
    const said = end.said.trim();
    return said === '' ? end.problem : `${end.problem}\nThe command that serves printed: ${said}`;
  }
}
