import { execa } from 'execa';

/** What folders hold on the disk. */
export interface DiskUsage {
  readonly bytes: number;
  /** Files, folders and links; each name of a file counts. */
  readonly entries: number;
}

export interface Measurement extends DiskUsage {
  /** Whether everything could be read. Otherwise the folders hold at least this much. */
  readonly isComplete: boolean;
}

const MEASURE_TIMEOUT_MS = 60_000;

/**
 * Prints bytes, entries, and whether something could not be read. Ends as soon as a maximum is exceeded, and holds no list of
 * files, so that neither a million files nor a deep tree make it large. Also counts deleted files that the processes hold open or
 * mapped: they take space, but have no name any more. Arguments: maximum of bytes, of entries, pids, folders.
 */
const PROGRAM = String.raw`
use strict;
my ($max_bytes, $max_entries, $pids, @folders) = @ARGV;
my ($bytes, $entries, $unread, %seen, %devices, %shown, %mapped) = (0, 0, 0);
setpriority(0, 0, 5);
sub result { print "$bytes $entries $unread\n"; exit 0; }
sub check { result() if $bytes > $max_bytes or $entries > $max_entries; }
for my $device (map { (lstat $_)[0] || 0 } @folders) {
  $devices{$device} = 1;
  $shown{sprintf '%02x:%02x', ($device >> 8) & 0xfff, ($device & 0xff) | (($device >> 12) & 0xfff00)} = 1;
}
while (@folders) {
  my $folder = pop @folders;
  my $handle;
  unless (opendir $handle, $folder) { $unread = 1 unless $! == 2 or $! == 20; next; }
  while (defined(my $name = readdir $handle)) {
    next if $name eq '.' or $name eq '..';
    my @status = lstat "$folder/$name";
    unless (@status) { $unread = 1 unless $! == 2; next; }
    push @folders, "$folder/$name" if -d _;
    $entries += 1;
    $bytes += 512 * $status[12] unless $status[3] > 1 and $seen{"$status[0]:$status[1]"}++;
    check();
  }
}
for my $pid (split /,/, $pids) {
  for my $path (glob "/proc/$pid/fd/*") {
    next unless (readlink($path) || '') =~ / \(deleted\)$/;
    my @status = stat $path or next;
    next if $status[3] > 0 or not $devices{$status[0]} or $seen{"$status[0]:$status[1]"}++;
    $bytes += 512 * $status[12];
  }
  open(my $maps, '<', "/proc/$pid/maps") or next;
  while (<$maps>) {
    my ($start, $end, $device, $inode, $path) = /^(\w+)-(\w+) \S+ \S+ (\w+:\w+) (\d+) +(\/.*) \(deleted\)$/ or next;
    # Some file systems show another device here than elsewhere: by its path, this is memory for sure.
    next if not $shown{$device} and $path =~ m{^/(?:memfd:|dev/|tmp/|SYSV)};
    no warnings 'portable';
    $mapped{$inode} += hex($end) - hex($start) unless $mapped{"$inode:$start"}++;
  }
}
for my $inode (grep { /^\d+$/ } keys %mapped) { $bytes += $mapped{$inode} unless grep { $seen{"$_:$inode"} } keys %devices; }
result();
`;

export interface MeasureOptions {
  readonly perl: string;
  readonly folders: readonly string[];
  /** Processes whose deleted files count, too. */
  readonly pids: readonly number[];
  /** The measurement ends as soon as one of these is exceeded. */
  readonly max: DiskUsage;
}

/** Measures folders in a process of its own. null: it did not finish. */
export async function measureFolders({ perl, folders, pids, max }: MeasureOptions): Promise<Measurement | null> {
  const args = [String(max.bytes), String(max.entries), pids.join(','), ...folders];
  const result = await execa(perl, ['-e', PROGRAM, ...args], {
    env: { LC_ALL: 'C' },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: MEASURE_TIMEOUT_MS,
  });
  const [, bytes, entries, unread] = /^(\d+) (\d+) ([01])$/.exec(result.stdout) ?? [];
  if (bytes === undefined || entries === undefined) return null;
  return { bytes: Number(bytes), entries: Number(entries), isComplete: unread === '0' };
}
