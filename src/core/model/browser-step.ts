/** One action in the browser, as a plan has it. */
export type BrowserAction =
  | { readonly type: 'open'; readonly path: string }
  | { readonly type: 'click'; readonly selector: string }
  | { readonly type: 'fill'; readonly selector: string; readonly value: string }
  | { readonly type: 'expect'; readonly selector: string; readonly text: string }
  | { readonly type: 'screenshot'; readonly name: string };

/** The parameters of `browser_act`. */
export interface BrowserStep {
  /** `url`: where the command serves, on the loopback of the place. */
  readonly serve: { readonly argv: readonly string[]; readonly url: string };
  readonly actions: readonly BrowserAction[];
}

/** What the program beside the browser reads from stdin. */
export interface BrowserTask extends BrowserStep {
  /** Absolute path of the browser. */
  readonly browser: string;
  /** Time for everything. */
  readonly timeoutMs: number;
}

/** What it prints: one JSON object on each line, `end` as the last. */
export type BrowserReport =
  | { readonly type: 'did'; readonly what: string }
  /** `png` in base64. */
  | { readonly type: 'screenshot'; readonly name: string; readonly png: string }
  | { readonly type: 'end'; readonly problem: string | null; readonly said: string };
