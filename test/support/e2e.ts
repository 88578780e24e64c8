import { startWorld, type World } from '../../world/start-world.ts';
import { makeDataDir, type Ratchet, type RatchetOptions, removeDataDir, startRatchet } from './ratchet-process.ts';
import { SHARED_BY_WORLDS } from './shared-world.ts';

/** A world, a data folder and the Apps started on it; everything is ended by `close`. */
export interface Stage {
  readonly world: World;
  /** Starts the App on the stage's data folder: again after a crash, it is the same installation. */
  readonly start: (options: Omit<RatchetOptions, 'world' | 'dataDir'>) => Promise<Ratchet>;
  /** @throws Error where the world saw something that GitHub would not have taken. */
  readonly close: () => Promise<void>;
}

/** For stories that share a stage and are told at once: each waits most of its time, and longer where others work. */
export const AT_ONCE = { timeout: 900_000 } as const;

/** Of an App that such stories share. */
export const MANY_SLOTS = { RATCHET_FIXUP_CONCURRENCY: '4' } as const;

/** A stage for one test, which is closed when the test has finished. */
export async function openStage(onTestFinished: (close: () => Promise<void>) => void): Promise<Stage> {
  const stage = await setStage();
  onTestFinished(stage.close);
  return stage;
}

/** Sets a stage for one story. */
export async function setStage(): Promise<Stage> {
  const world = await startWorld(SHARED_BY_WORLDS);
  const dataDir = await makeDataDir();
  const started: Ratchet[] = [];
  return {
    world,
    async start(options) {
      const ratchet = await startRatchet({ ...options, world, dataDir });
      started.push(ratchet);
      return ratchet;
    },
    async close() {
      await Promise.all(started.map((ratchet) => ratchet.stop()));
      await world.close();
      await removeDataDir(dataDir);
      if (world.violations.length > 0) throw new Error(`not as GitHub has it:\n${world.violations.join('\n')}`);
    },
  };
}
