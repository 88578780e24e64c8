import type { ByHand } from './check.ts';

/** What no program can do with the App's credentials alone. */
export const BY_HAND: readonly ByHand[] = [
  {
    name: 'Re-run of a completed check run',
    todo: 'press Re-run on a completed check run "Ratchet", and look at it after the next decision',
    expected: 'a check_run.rerequested delivery, and a new check run of the same name',
  },
  {
    name: 'one notification for a review',
    todo: 'let Ratchet answer three threads of one review',
    expected: 'one notification with three replies; the fixed threads are resolved',
  },
  {
    name: 'rename and transfer',
    todo: 'rename the repository, then transfer it, with an enabled pull request in it',
    expected: 'the API follows, git does not: the product reads the new name from the API',
  },
  {
    name: 'suspend and unsuspend',
    todo: 'suspend the installation while a fixup works, then unsuspend it',
    expected: 'nothing is pushed while suspended; the pull request goes on afterwards',
  },
  {
    name: 'rulesets in evaluate mode, and with a bypass for the App',
    todo: 'add such rulesets to a head branch and enable Ratchet there',
    expected: 'neither holds the push',
  },
  {
    name: 'workflows of a pushed commit',
    todo: 'look at the Actions tab after a push of Ratchet',
    expected: 'they start without an approval',
  },
  {
    name: 'old repositories under fsck',
    todo: 'enable Ratchet in repositories with old histories',
    expected: 'the fetch does not fail for faults that git tolerates',
  },
];
