import { EventEmitter, once } from 'node:events';
import type {
  PreparedDependencies,
  Site,
  SiteCommand,
  SiteOutcome,
  SiteProbe,
  SiteRequest,
  Sites,
} from '../../src/ports/site.ts';
import type { FakeGit } from './fake-git.ts';

/** What ends a run, with all that it printed. */
export type FakeEnding = Partial<Omit<SiteOutcome, 'read'>>;

/** Sites that run nothing and answer as told. A command is named by its shell line, or by its program. */
export interface FakeSites extends Sites {
  /** What ran, in order, each with what its site was opened with. */
  readonly commands: readonly (SiteCommand & { readonly site: SiteRequest })[];
  /** Texts of all inputs that sites were opened with, by file name. */
  readonly evidence: ReadonlyMap<string, string>;
  /** What was opened, in order. */
  readonly opened: readonly SiteRequest[];
  readonly heldSlots: () => number;
  /** Most sites that were open at one time. */
  readonly mostAtOnce: () => number;
  /** Every run of `name` ends like this from now on; a command that nobody named exits with 0. */
  readonly endWith: (name: string, ending: FakeEnding) => void;
  /** The same for the runs of `name` in the sites of that name; `endings` end its first runs, and the last one all others. */
  readonly endIn: (site: string, name: string, ...endings: readonly FakeEnding[]) => void;
  /** Happens while the next run of `name` is under way. */
  readonly during: (name: string, happen: () => Promise<void> | void) => void;
  /** The next run of `name` goes on until its signal, or until `end`; `begun` resolves when it is under way. */
  readonly hang: (name: string) => { readonly begun: Promise<unknown>; readonly end: () => void };
  readonly setProbe: (probe: SiteProbe) => void;
  /** Commands leave a file in every site that is open now; null: one that cannot be read. */
  readonly leave: (path: string, text: string | null) => void;
  /** The paths that each taking of a tree left out. */
  readonly excluded: readonly (readonly string[])[];
  /** What the next setup leaves; `node_modules` where nothing is said. */
  readonly makeBySetup: (...names: readonly string[]) => void;
  readonly swept: () => number;
}

const EXITED: Omit<SiteOutcome, 'read'> = {
  kind: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 1_000,
  stdoutTail: '',
  stderrTail: '',
  processesLeft: 0,
};

interface State {
  made: readonly string[];
  probe: SiteProbe;
  most: number;
  sweeps: number;
  readonly open: Set<Map<string, string | null>>;
  readonly commands: (SiteCommand & { readonly site: SiteRequest })[];
  readonly excluded: (readonly string[])[];
  readonly outcomes: Map<string, FakeEnding>;
  /** By site and name of the command. */
  readonly inSites: Map<string, FakeEnding[]>;
  readonly happenings: Map<string, (signal: AbortSignal) => Promise<void> | void>;
  readonly dependencies: Map<string, PreparedDependencies>;
}

/** Creates them; runs are written to `journal` as `run <name>`, those of a proof as `prove <name>`, and trees as `site.takeTree`. */
export function createFakeSites(journal: string[] = [], git?: Pick<FakeGit, 'leftTree'>): FakeSites {
  const state: State = {
    made: ['node_modules'],
    probe: { kind: 'ok', profile: 'fake' },
    most: 0,
    sweeps: 0,
    open: new Set(),
    commands: [],
    excluded: [],
    outcomes: new Map(),
    inSites: new Map(),
    happenings: new Map(),
    dependencies: new Map(),
  };
  const opened: SiteRequest[] = [];
  const evidence = new Map<string, string>();
  return {
    promises: ['fresh_tree', 'take_tree', 'no_network', 'limits', 'isolation', 'inputs', 'dependencies'],
    layout: {
      root: '/workspace',
      inputs: '/ratchet/evidence',
      artifacts: () => '/ratchet/artifacts',
      nodePath: '/tools/bin/node',
      toolchains: [],
    },
    commands: state.commands,
    excluded: state.excluded,
    opened,
    evidence,
    heldSlots: () => state.open.size,
    mostAtOnce: () => state.most,
    swept: () => state.sweeps,
    ...createOrders(state),
    async probe() {
      journal.push('sites.probe');
      return state.probe;
    },
    async open(request, signal) {
      signal.throwIfAborted();
      journal.push(`open ${request.name}`);
      opened.push(request);
      for (const [name, text] of Object.entries(request.inputs)) evidence.set(name, text);
      const files = new Map<string, string | null>();
      state.open.add(files);
      state.most = Math.max(state.most, state.open.size);
      return createSite(state, { request, files, journal, git });
    },
    findDependencies: async ({ hash }) => state.dependencies.get(hash) ?? null,
    sweep: async () => void (state.sweeps += 1),
  };
}

type Orders = Pick<FakeSites, 'endWith' | 'endIn' | 'during' | 'hang' | 'setProbe' | 'leave' | 'makeBySetup'>;

function createOrders(state: State): Orders {
  const { outcomes, happenings } = state;
  return {
    endWith: (name, outcome) => void outcomes.set(name, outcome),
    endIn: (site, name, ...endings) => void state.inSites.set(`${site}: ${name}`, [...endings]),
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
      state.probe = next;
    },
    leave: (path, text) => {
      for (const files of state.open) files.set(path, text);
    },
    makeBySetup: (...names) => {
      state.made = names;
    },
  };
}

function createSite(
  state: State,
  site: {
    readonly request: SiteRequest;
    readonly files: Map<string, string | null>;
    readonly journal: string[];
    readonly git: Pick<FakeGit, 'leftTree'> | undefined;
  },
): Site {
  const { request, files, journal, git } = site;
  return {
    async run(command, signal) {
      const name = toName(command);
      state.commands.push({ ...command, site: request });
      journal.push(`${request.name.startsWith('prove-') ? 'prove' : 'run'} ${name}`);
      command.onStdout?.(Buffer.from(state.outcomes.get(name)?.stdoutTail ?? ''));
      const happen = state.happenings.get(name);
      state.happenings.delete(name);
      await happen?.(signal);
      const aborted: FakeEnding = { kind: 'aborted', exitCode: null, signal: 'SIGKILL' };
      const told = takeEnding(state, request.name, name);
      const ending = { ...EXITED, ...(signal.aborted ? aborted : told) };
      return {
        ...ending,
        async *read(stream) {
          yield Buffer.from(stream === 'stdout' ? ending.stdoutTail : ending.stderrTail);
        },
      };
    },
    async takeTree({ exclude }, signal) {
      journal.push('site.takeTree');
      signal.throwIfAborted();
      state.excluded.push(exclude);
      if (git === undefined || request.tree === null) throw new Error('there is no tree to take');
      return git.leftTree(request.tree.treeSha);
    },
    readFile: async (path) => {
      const text = files.get(path) ?? null;
      return text === null ? null : Buffer.from(text);
    },
    has: async (path) => files.has(path),
    keepDependencies: async (key) => {
      const prepared = toPrepared(key, state.made);
      state.dependencies.set(key.hash, prepared);
      return prepared;
    },
    close: async () => {
      state.open.delete(files);
    },
  };
}

function takeEnding({ inSites, outcomes }: State, site: string, name: string): FakeEnding | undefined {
  const endings = inSites.get(`${site}: ${name}`) ?? [];
  return (endings.length > 1 ? endings.shift() : endings[0]) ?? outcomes.get(name);
}

/** Dependencies whose files are empty; `texts` are those of some. */
export function toPrepared(
  key: PreparedDependencies['key'],
  paths: readonly string[],
  texts: Readonly<Record<string, string>> = {},
): PreparedDependencies {
  return {
    key,
    paths,
    has: async (path) => paths.includes(path) || path in texts,
    readFile: async (path) => (path in texts ? Buffer.from(texts[path] ?? '') : null),
  };
}

function toName({ argv }: SiteCommand): string {
  const [program, , line] = argv;
  return (program === '/bin/sh' ? line : program) ?? '';
}
