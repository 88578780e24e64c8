import { createRedactor, createSteppedRedactor } from '../core/redact/create-redactor.ts';
import { runInTurns } from '../system/run-in-turns.ts';

/** Secrets of this process. No text that leaves it may contain them. More may become known while it runs. */
export interface LiveSecrets {
  readonly all: () => readonly string[];
  /** An earlier one stays known: it may still be valid. */
  readonly add: (secret: string) => void;
  readonly redact: (text: string) => string;
  readonly redactLong: (text: string) => Promise<string>;
}

/** Empty texts are no secrets. */
export function createLiveSecrets(initial: readonly string[]): LiveSecrets {
  let known: readonly string[] = [];
  let redact = createRedactor(known);
  let redactInSteps = createSteppedRedactor(known);

  function learn(secrets: readonly string[]): void {
    const added = secrets.filter((secret) => secret !== '' && !known.includes(secret));
    if (added.length === 0) return;
    known = [...known, ...added];
    redact = createRedactor(known);
    redactInSteps = createSteppedRedactor(known);
  }

  learn(initial);
  return {
    all: () => known,
    add: (secret) => learn([secret]),
    redact: (text) => redact(text),
    redactLong: (text) => runInTurns(redactInSteps(text)),
  };
}
