import { EventEmitter, once } from 'node:events';
import type { Sandbox, SandboxCommand, SandboxOutcome, SandboxProbe } from '../../src/ports/sandbox.ts';

/** A sandbox that runs nothing and answers as told. A command is named by its shell line, or by its program. */
export interface FakeSandbox extends Sandbox {
  /** What ran, in order. */
  readonly commands: readonly SandboxCommand[];
  readonly heldSlots: () => number;
  /** Every run of `name` ends like this from now on; a command that nobody named exits with 0. */
  readonly endWith: (name: string, outcome: Partial<SandboxOutcome>) => void;
  /** Happens while the next run of `name` is under way. */
  readonly during: (name: string, happen: () => Promise<void> | void) => void;
  /** The next run of `name` goes on until its signal, or until `end`; `begun` resolves when it is under way. */
  readonly hang: (name: string) => { readonly begun: Promise<unknown>; readonly end: () => void };
  readonly setProbe: (probe: SandboxProbe) => void;
}

const EXITED: SandboxOutcome = {
  kind: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 1_000,
  stdoutTail: '',
  stderrTail: '',
  processesLeft: 0,
};

/** Creates the sandbox; runs are written to `journal` as `run <name>`. */
export function createFakeSandbox(journal: string[] = []): FakeSandbox {
  const commands: SandboxCommand[] = [];
  const outcomes = new Map<string, Partial<SandboxOutcome>>();
  const happenings = new Map<string, (signal: AbortSignal) => Promise<void> | void>();
  let probe: SandboxProbe = { kind: 'ok', profile: 'fake' };
  let held = 0;
  return {
    toolsDir: '/tools',
    commands,
    heldSlots: () => held,
    endWith: (name, outcome) => void outcomes.set(name, outcome),
    during: (name, happen) => void happenings.set(name, happen),
    hang(name) {
      const begun = new EventEmitter();
      const ending = new AbortController();
      happenings.set(name, async (signal) => {
        begun.emit('begun');
        const ended = AbortSignal.any([signal, ending.signal]);
        if (!ended.aborted) await once(ended, 'abort');
      });
      return { begun: once(begun, 'begun'), end: () => ending.abort() };
    },
    setProbe: (next) => {
      probe = next;
    },
    async probe() {
      journal.push('sandbox.probe');
      return probe;
    },
    async run(command, signal) {
      const name = toName(command);
      commands.push(command);
      journal.push(`run ${name}`);
      const happen = happenings.get(name);
      happenings.delete(name);
      await happen?.(signal);
      if (signal.aborted) return { ...EXITED, kind: 'aborted', exitCode: null, signal: 'SIGKILL' };
      return { ...EXITED, ...outcomes.get(name) };
    },
    async acquireSlot() {
      held += 1;
      return { index: 0, uid: null, gid: null };
    },
    tryAcquireSlot: () => null,
    releaseSlot: () => {
      held -= 1;
    },
    giveToSlot: async () => undefined,
  };
}

function toName({ argv }: SandboxCommand): string {
  const [program, , line] = argv;
  return (program === '/bin/sh' ? line : program) ?? '';
}
