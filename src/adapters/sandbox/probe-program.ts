/**
 * The probe that runs inside of a sandbox: Perl, because it can make any system call without native code and belongs to the base
 * system. Arguments are facts in the form `name=value`; a list is separated by commas. For each probe it prints `ok NAME`, or
 * `miss NAME WHY`. Nothing that it does changes a machine, even where no wall holds it.
 */
export const PROBE_PROGRAM = String.raw`
use strict;
$| = 1;
$SIG{XFSZ} = 'IGNORE';
my %fact = map { /^(\w+)=(.*)$/s ? ($1, $2) : () } @ARGV;
my ($EPERM, $ENOSYS, $EAFNOSUPPORT) = list('errnos');

sub report { my ($name, $why) = @_; print defined $why ? "miss $name $why\n" : "ok $name\n"; }
sub text { my ($path) = @_; local $/; open(my $file, '<', $path) or return undef; my $all = <$file>; return defined $all ? $all : ''; }
sub names { my ($path) = @_; opendir(my $folder, $path) or return (); return sort grep { $_ ne '.' and $_ ne '..' } readdir $folder; }
sub list { return split /,/, $fact{$_[0]}; }
# The error number of a system call; 0 if it was made. The name of the fact is the name of the call.
sub errno_of { my ($call, @arguments) = @_; return -1 unless $fact{$call} =~ /^\d+$/; return syscall($fact{$call} + 0, @arguments) == -1 ? $! + 0 : 0; }
sub refuses { my ($name, $expected, $errno) = @_; report($name, $errno == $expected ? undef : "errno $errno"); }
sub denies { my ($call, @arguments) = @_; refuses("call_$call", $EPERM, errno_of($call, @arguments)); }

# Files of the machine
sub absent { my ($name, @paths) = @_; my @found = grep { -e $_ or -l $_ } @paths; report($name, @found ? "@found" : undef); }
absent('host_file', $fact{canary});
absent('root_home', list('root_home'));
absent('host_etc', list('host_etc'));
absent('host_sys', list('host_sys'));
# The way to the tools is shown and nothing beside it.
sub only_way { my ($name, $folder) = @_; my @beside = grep { index("$fact{tools}/", "$folder/$_/") != 0 } names($folder); report($name, @beside ? "@beside" : undef); }
only_way('host_data', $fact{data});
only_way('host_tmp', $fact{tmp});
only_way('host_run', $fact{run});
my @devices = grep { -b "$fact{dev}/$_" } names($fact{dev});
report('block_devices', @devices ? "@devices" : undef);
report('terminal', open(my $tty, '+<', $fact{tty}) ? 'it has one' : undef);

# What it may write
sub unwritable {
  my ($name, $path) = @_;
  my $made = open(my $file, '>', $path);
  unlink $path if $made and $path =~ /ratchet-probe$/;
  report($name, $made ? "$path can be written" : undef);
}
unwritable("writable_$_", "$fact{\"writable_$_\"}/ratchet-probe") for qw(usr root etc tools dev);
unwritable('writable_proc_sys', $fact{writable_proc_sys});
unwritable('writable_sysrq', $fact{writable_sysrq});
my @mounts = map { [split / /] } split /\n/, (text('/proc/self/mountinfo') || '');
my %may_write = map { $_ => 1 } list('may_write');
my @loose = grep { my ($target, $options) = @$_[4, 5]; $options !~ /\bro\b/ and not $may_write{$target} and $target !~ m{^/dev/} and $target ne '/proc' } @mounts;
report('read_only_mounts', not(@mounts) ? 'none are shown' : @loose ? join(' ', map { $$_[4] } @loose) : undef);
my @suid = grep { $$_[5] !~ /\bnosuid\b/ } @mounts;
report('no_set_uid_mounts', not(@mounts) ? 'none are shown' : @suid ? join(' ', map { $$_[4] } @suid) : undef);
sub sized { my ($name, $target) = @_; my ($mount) = grep { $$_[4] eq $target } @mounts; my $options = $mount ? $$mount[-1] : ''; report($name, $options =~ /\bsize=$fact{tmp_kib}k\b/ ? undef : "options $options"); }
sized('size_of_tmp', '/tmp');
sized('size_of_shm', '/dev/shm');

# Processes and what they show
my @pids = grep { /^\d+$/ } names('/proc');
report('host_processes', @pids == 0 || @pids > $fact{max_processes_seen} ? scalar(@pids) . ' are visible' : undef);
my %expected = map { $_ => 1 } list('variables');
my %seen = map { /^([^=]+)=/ ? ($1, 1) : () } map { split /\0/, (text("/proc/$_/environ") || '') } @pids;
my @strange = grep { not $expected{$_} } sort keys %seen;
report('environment', @strange ? "@strange" : undef);
report('first_environment', length(text("/proc/$fact{first_process}/environ")) ? 'it is not empty' : undef);
my @descriptors = grep { $_ > 2 and (readlink("/proc/self/fd/$_") || $fact{nothing}) ne $fact{nothing} } names('/proc/self/fd');
report('descriptors', @descriptors ? "@descriptors" : undef);
for my $kind (qw(user mnt pid net ipc uts cgroup)) {
  my $own = readlink("/proc/self/ns/$kind") || '';
  report("namespace_$kind", $own eq '' || $own eq $fact{"ns_$kind"} ? "it is the machine's" : undef);
}
my $status = text('/proc/self/status') || '';
for my $set (qw(Inh Prm Eff Bnd Amb)) { report('capabilities_' . lc $set, $status =~ /^Cap$set:\s+0+$/m ? undef : 'some are left'); }
report('new_privileges', $status =~ /^NoNewPrivs:\s+1$/m ? undef : 'they can be gained');
report('system_call_filter', $status =~ /^Seccomp:\s+2$/m ? undef : 'there is none');
my $user = $status =~ /^Uid:\s+(\d+)/m ? $1 : '';
report('user', $user ne '' && ($fact{uid} eq '' || $fact{uid} eq $user) ? undef : "it is $user");
report('dies_first', (text('/proc/self/oom_score_adj') || '') eq "1000\n" ? undef : 'its OOM score is lower');
report('priority', getpriority(0, 0) >= 5 ? undef : 'it is as high as others');

# System calls. Each is made with arguments that are in vain, so that it does no harm where it is allowed.
my $vain = "\0" x 128;
my $nowhere = "/nonexistent\0";
denies('io_uring_setup', 1, $vain);
denies('io_uring_enter', -1, 0, 0, 0, 0, 0);
denies('io_uring_register', -1, 0, 0, 0);
denies('bpf', 5, $vain, 8);
denies('perf_event_open', $vain, 0, -1, -1, 0);
denies('userfaultfd', 0x7fff);
denies('add_key', "user\0", "ratchet-probe\0", $vain, 0, 0);
denies('request_key', "user\0", "ratchet-probe\0", 0, 0);
denies('keyctl', 0, -3, 0);
denies('ptrace', 16, 0x3fffffff, 0, 0);
denies('process_vm_readv', $$, 0, 0, 0, 0, 0);
denies('process_vm_writev', $$, 0, 0, 0, 0, 0);
denies('process_madvise', -1, 0, 0, 0, 0);
denies('pidfd_getfd', -1, 0, 0);
denies('kcmp', $$, $$, 0, 0, 1);
denies('unshare', 1);
denies('setns', -1, 0);
denies('mount', $nowhere, $nowhere, $nowhere, 0, 0);
denies('umount2', $nowhere, 0);
denies('pivot_root', $nowhere, $nowhere);
denies('chroot', $nowhere);
denies('open_tree', -1, $nowhere, 0);
denies('move_mount', -1, $nowhere, -1, $nowhere, 0);
denies('fsopen', $nowhere, 0);
denies('fsmount', -1, 0, 0);
denies('mount_setattr', -1, $nowhere, 0, 0, 0);
denies('open_by_handle_at', -1, $vain, 0);
denies('name_to_handle_at', -1, $nowhere, $vain, $vain, 0);
denies('fanotify_init', 0x7fffffff, 0);
denies('quotactl', -1, $nowhere, 0, 0);
denies('memfd_secret', 0x7fff);
denies('init_module', 0, 0, 0);
denies('finit_module', -1, 0, 0);
denies('delete_module', $nowhere, 0);
denies('kexec_load', 0, 1, 0, 0x7fff);
denies('reboot', 0, 0, 0, 0);
denies('swapon', $nowhere, 0);
denies('syslog', 10, 0, 0);
denies('settimeofday', 0, 0);
denies('sethostname', $vain, -1);
my $self = $$;
my $errno = errno_of('clone', 0x10000011, 0, 0, 0, 0);
kill 'KILL', $$ if $$ != $self;
wait() if $errno == 0;
refuses('clone_user_namespace', $EPERM, $errno);
refuses('clone3_is_missing', $ENOSYS, errno_of('clone3', $vain, 0));
refuses('terminal_input', $EPERM, errno_of('ioctl', 0, 0x5412, $vain));

# Keys
my @keys = grep { not / keyring +(?:_ses|_uid\.\d+|_uid_ses\.\d+|\.[\w.]+): / } split /\n/, (text('/proc/keys') || '');
report('keys', @keys ? scalar(@keys) . ' are visible' : undef);

# Network
refuses('family_vsock', $EAFNOSUPPORT, errno_of('socket', 40, 1, 0));
refuses('family_packet', $EAFNOSUPPORT, errno_of('socket', 17, 3, 0));
refuses('family_crypto', $EAFNOSUPPORT, errno_of('socket', 38, 5, 0));
refuses('family_bluetooth', $EAFNOSUPPORT, errno_of('socket', 31, 3, 0));
refuses('family_packet_filter', $EAFNOSUPPORT, errno_of('socket', 16, 3, 12));
my @interfaces = grep { not /^lo$/ } map { /^\s*([^\s:]+):/ ? ($1) : () } split /\n/, (text('/proc/net/dev') || '');
report('interfaces', @interfaces ? "@interfaces" : undef);
sub unreachable {
  my ($name, $family, $type, $address) = @_;
  socket(my $socket, $family, $type, 0) or return report($name, undef);
  report($name, connect($socket, $address) ? 'it can be reached' : undef);
}
sub inet { my ($port, @bytes) = @_; return pack('S n C4 x8', 2, $port, @bytes); }
unreachable('host_loopback', 2, 1, inet($fact{host_port}, 127, 0, 0, 1));
unreachable('route_ipv4', 2, 2, inet($fact{route_port}, list('route_ipv4')));
unreachable('route_ipv6', 10, 2, pack('S n N H32 N', 10, $fact{route_port}, 0, $fact{route_ipv6}, 0));
unreachable('metadata_service', 2, 2, inet(80, list('metadata')));
report('raw_socket', socket(my $raw, 2, 3, 1) ? 'it can be made' : undef);
unreachable('host_socket', 1, 1, pack('S a108', 1, $fact{host_socket}));
unreachable('abstract_socket', 1, 1, pack('S', 1) . "\0$fact{abstract_socket}");

# Limits
my $limits = text('/proc/self/limits') || '';
sub limited {
  my ($name, $title, $highest) = @_;
  my ($soft, $hard) = $limits =~ /^$title +(\S+) +(\S+) /m;
  report($name, defined $hard && $hard =~ /^\d+$/ && $hard <= $highest ? undef : 'it is ' . (defined $hard ? $hard : 'not shown'));
}
limited('limit_open_files', 'Max open files', $fact{max_open_files});
limited('limit_processes', 'Max processes', $fact{max_processes});
limited('limit_file_size', 'Max file size', $fact{max_file_bytes});
limited('limit_core_size', 'Max core file size', $fact{max_core_bytes});
my $sparse = "$fact{tmp}/ratchet-probe";
open(my $grown, '>', $sparse);
report('file_size_is_enforced', truncate($grown, $fact{max_file_bytes} + 1) ? 'a larger file can be made' : undef);
unlink $sparse;

report('node', system($fact{node}, '-e', '') == 0 ? undef : 'it does not run');
print "done\n";
`;
