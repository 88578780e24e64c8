/**
 * The rules of the loop that a test has to prove, each in a sentence of our own. A test proves one by naming it in its title:
 * `002.R13` is a rule of the loop's design, `S5` the settlement of a question that the design left open, `001.R34` one of the
 * contract with agents. `npm run rules` prints which tests do.
 */
export const RULES: Readonly<Record<string, string>> = {
  '001.R21': 'A failing test is known again by its id, the type of its exception and the innermost frame.',
  '001.R34': 'An agent is told task, evidence, exact validation, paths and limits in one request.',

  '002.R1': 'One sequential loop per pull request; an iteration takes at most one action.',
  '002.R2':
    'The loop looks at sessions, pull request, CI, stale CI, switch, conflict, CI result and reviews, in this order.',
  '002.R3': 'An iteration that launched a fixup is over only when the session has ended.',
  '002.R4': 'Before a fixup the CI result and the start of the stale wait are recorded.',
  '002.R5': 'A fixup that pushed nothing stops the loop at once and counts no attempt.',
  '002.R6': 'A fixup that pushed counts one attempt, and the loop goes on.',
  '002.R7': 'Only sessions at work block; idle ones never do.',
  '002.R8': 'The wait for CI to pick up a push is bounded and ends as STALE_CI_TIMEOUT.',
  '002.R9': 'Left-over sessions are cleared before anything is launched, also where Ratchet is disabled.',
  '002.R10': 'The switch is looked at after watching and clearing, before any action.',
  '002.R11': 'Each iteration decides on the state of GitHub as it is then.',
  '002.R12': 'The decision is a pure function of its input, one of seven actions with a reason.',
  '002.R13': 'The guards decide in a fixed order.',
  '002.R14': 'Whether a fixup pushed is told by the head of the branch before and after.',
  '002.R15': 'A fixup that pushed nothing is shown as needing a person.',
  '002.R16': 'With the attempts used up, what would be fixed ends in TERMINAL_FAILED.',
  '002.R17': 'Every fixup that pushed counts one attempt, whatever it was to fix.',
  '002.R18': 'A push from outside, disable and enable, and all green start the count anew.',
  '002.R19': 'After TERMINAL_FAILED the pull request is watched on, and nothing is launched.',
  '002.R20': 'A CI result other than the recorded one ends the stale wait.',
  '002.R22': 'Each decision is logged with the snapshot it was made on.',
  '002.R24': 'Entries of the log are kept for seven days.',
  '002.R25': 'An administrator can ask for the log of one pull request.',
  '002.R26': 'A session is waited for till its exit or its time limit.',
  '002.R27': 'What is left of a session is ended.',
  '002.R28': 'A session beyond its time limit is ended, cleared and counted, and the state is looked at anew.',
  '002.R29': 'Disabling lets a running fixup finish; the next iteration clears and launches nothing.',
  '002.R30': 'Pull requests go on beside each other, at most so many at once.',
  '002.R31': 'Nothing is launched twice for one CI failure or one review comment.',
  '002.R33': 'Every guard, threshold, reset, clean-up, no-push and time-limit path has a test.',
  '002.R34':
    'The whole loop is tested: to green, to the end of the budget, without a push, beside a person, disabled, stale.',
  '002.R35': 'Webhooks wake the loop, a timed look makes up for lost ones, and nothing is merged.',

  S1: 'Ratchet pushes, not the agent; a push is one when the remote head is the commit that Ratchet built.',
  S2: 'A confirmed conflict at a head without any run waits for no CI; a run in progress is waited for.',
  S3: 'No result yet is not green; no CI needs proof; what is unknown waits, with a deadline.',
  S4: 'Every wait has a deadline, after which it is a stop with a reason.',
  S5: 'The identity of a CI result is its head with the set of the latest results; a re-run is a new one.',
  S6: 'Sessions are of Ratchet or of a person, at work or idle by their heartbeat.',
  S7: 'The cheaper means comes first; re-runs and branch updates are free and bounded, every commit is an attempt.',
  S8: 'Nothing is launched again for the cause of a stop; a green stop keeps watching.',
  S9: 'Disable lets a fixup finish unpushed; a closed pull request and a moved head end it at once.',
  S10: 'The count starts anew on a push from outside, disable and enable, retry, and ALL_GREEN, and on nothing else.',
  S11: 'The stale clock starts before the launch, moves to the push, and is cleared without one.',
  S12: 'A decision takes one snapshot with the time in it; a session at work comes before all.',
  S13: 'The agent may change every tracked path but the protected ones, or what the policy narrows that to.',
  S14: 'There is one control plane; a second is refused.',
  S15: 'A merge that Ratchet builds is judged against what git itself would have made.',
  S16: 'Nothing is pushed to a pull request in a merge queue, or with auto-merge on.',

  C26: 'A fixup that ran into its time limit counts as one attempt.',
};
