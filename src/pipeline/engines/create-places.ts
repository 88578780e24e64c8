import type { RunId, Sha } from '../../core/model/ids.ts';
import type { Invocation } from '../../ports/engine-host.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';

/** Folders of the service that one run has to itself. */
export interface Place {
  /** A clean checkout, without `.git`. */
  readonly checkout: string;
  readonly home: string;
  readonly artifacts: string;
  /** Never in a sandbox. */
  readonly output: string;
}

/** Places by the name of the run. */
export interface Places {
  /** A new one; that of the step before, where the run is to find what it wrote. */
  readonly take: (invocation: Pick<Invocation, 'name' | 'keepsArtifacts'>) => Promise<Place>;
  /** Nothing more is run under that name. */
  readonly release: (name: string) => void;
}

/** What places are made of. */
export interface PlacesGround {
  readonly runId: RunId;
  readonly repository: SessionRepository;
  readonly treeSha: Sha;
  /** Names the folders. */
  readonly name: string;
}

interface Taken {
  /** Of the checkout; the number of a run that is over is given again, so that the disk holds no more of them than run at once. */
  readonly number: number;
  readonly place: Place;
}

/** Checkouts of one tree, made when they are needed. */
export function createPlaces(
  { files, git }: Pick<Deps, 'files' | 'git'>,
  { runId, repository, treeSha, name: prefix }: PlacesGround,
  signal: AbortSignal,
): Places {
  const taken = new Map<string, Taken>();
  const free: number[] = [];
  let numbers = 0;
  let folders = 0;
  const takeNumber = (): number => {
    const number = free.pop() ?? numbers;
    numbers = Math.max(numbers, number + 1);
    return number;
  };
  const make = async (number: number): Promise<Place> => {
    // Other than a checkout, a folder is not made twice: what a run left in it may be hard to remove.
    folders += 1;
    const makeFolder = (what: string): Promise<string> =>
      files.makeFolder(runId, `${prefix}-${String(folders)}-${what}`);
    const made = [makeFolder('home'), makeFolder('artifacts'), makeFolder('output')] as const;
    const [home, artifacts, output] = await Promise.all(made);
    const checkout = await git.checkoutTree(repository, treeSha, `${prefix}-${String(number)}`, signal);
    return { checkout, home, artifacts, output };
  };
  return {
    take: async ({ name, keepsArtifacts }) => {
      const known = taken.get(name);
      if (known !== undefined && keepsArtifacts) return known.place;
      const number = known?.number ?? takeNumber();
      const place = await make(number);
      taken.set(name, { number, place });
      return place;
    },
    release: (name) => {
      const known = taken.get(name);
      taken.delete(name);
      if (known !== undefined) free.push(known.number);
    },
  };
}
