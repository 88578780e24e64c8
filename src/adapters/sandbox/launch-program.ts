import { type Architecture, DENIED_CALLS } from './seccomp/denied-calls.ts';

/** Where a sandbox starts and how it stands among the other processes of the machine. */
export interface Launch {
  /** Absolute path of Perl: the only program of a base system that can make any system call. */
  readonly perl: string;
  readonly architecture: Architecture;
  /** The file `cgroup.procs` of the command's cgroup. null: it has none. */
  readonly cgroupProcs: string | null;
}

/** The highest score: the kernel ends such a process before any other when memory runs out. */
const OOM_SCORE = 1000;
/** Lower priority than the service (nice 0), so that it gets the processor first. */
const NICENESS = 5;

/**
 * Prepares its own process and becomes the given command: enters the cgroup, raises the OOM score, lowers the priority, and joins
 * a new, anonymous session keyring (KEYCTL_JOIN_SESSION_KEYRING), so that the command does not possess the keys of the service's
 * session. A machine without keyrings (ENOSYS), or whose container denies them (EPERM), has no keys to protect.
 */
const PROGRAM = String.raw`
use strict;
my ($procs, $score, $niceness, $keyctl, @command) = @ARGV;
sub put {
  my ($path, $text) = @_;
  open(my $file, '>', $path) or die "launcher: $path: $!\n";
  syswrite($file, $text) or die "launcher: $path: $!\n";
  close($file);
}
put($procs, $$) if $procs ne '';
put('/proc/self/oom_score_adj', $score);
setpriority(0, 0, $niceness);
if (syscall($keyctl + 0, 1, 0) < 0 and $! != 38 and $! != 1) { die "launcher: no session keyring: $!\n"; }
exec { $command[0] } @command;
die "launcher: failed to execute $command[0]: $!\n";
`;

/** The beginning of the command line of a sandbox. The rest follows. Must run with an environment that is safe for Perl. */
export function toLaunchArgv({ perl, architecture, cgroupProcs }: Launch): readonly string[] {
  const keyctl = DENIED_CALLS.keyctl[architecture];
  return [perl, '-e', PROGRAM, cgroupProcs ?? '', String(OOM_SCORE), String(NICENESS), String(keyctl)];
}
