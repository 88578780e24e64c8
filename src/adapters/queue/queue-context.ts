import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { LockStore, WakeupStore } from '../../ports/store.ts';
import type { NewTimer } from './timer.ts';

/** What the parts of one queue work with. */
export interface QueueContext {
  readonly store: WakeupStore & Pick<LockStore, 'onceWritable'>;
  /** Name of the queue in the rows of `store`. */
  readonly queue: string;
  readonly clock: Clock;
  readonly newTimer: NewTimer;
  readonly log: Log;
}
