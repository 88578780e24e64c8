import type { BrowserStep } from '../core/model/browser-step.ts';
import type { Workplace } from './workplace.ts';

/** How the actions in a browser ended. */
export interface BrowserEnd {
  /** null: all of them could be carried out. */
  readonly problem: string | null;
  /** False: nothing was started. */
  readonly hasActed: boolean;
  /** What was done, one line for each action, and what the pages threw. */
  readonly did: readonly string[];
  readonly screenshots: readonly { readonly name: string; readonly png: Uint8Array }[];
}

/** A browser that runs inside a workplace, beside the command that serves, with no network but their own loopback. */
export interface PlaceBrowser {
  readonly run: (
    step: BrowserStep,
    options: { readonly place: Workplace; readonly timeoutMs: number },
    signal: AbortSignal,
  ) => Promise<BrowserEnd>;
}
