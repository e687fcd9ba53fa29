# fence.pl POLICY LOG PROGRAM ARGUMENT…: runs a program that can reach no other addresses than POLICY allows, nor can anything that it starts.
# It needs no right. The kernel (Linux 5.5 or later) asks this process before each connect, and before each datagram that names an address, and waits
# for the answer; nothing leaves for an address that is refused. What a connection carries is never seen here, and costs nothing.
#
# POLICY is read again when it changes. Its lines, of which the first that fits decides; addresses in hexadecimal digits, 8 or 32:
#   nameserver ADDRESS        port 53 alone
#   allow|refuse FIRST LAST   nothing fits: refused
# LOG gets a line for each refusal: address, space, transport (tcp, udp, or port where it is not known), space, port.
#
# Descriptors stay as they are; SIGKILL to this process ends the program, and this process ends as the program does.
# docs/decisions/0033-fence.md says why so, and what it can't do.
use strict;
use warnings;
use Socket qw(SOL_SOCKET SO_TYPE SOCK_DGRAM SOCK_STREAM inet_ntop AF_INET AF_INET6);

my ($AF_UNSPEC, $AF_UNIX, $AF_NETLINK) = (0, 1, 16);
my ($EACCES, $ENOSYS, $EOPNOTSUPP, $ECONNREFUSED) = (13, 38, 95, 111);
my %machines = (
    x86_64 => { audit => 0xc000003e, connect => 42, sendto => 44, sendmsg => 46, sendmmsg => 307, clone => 56, prctl => 157, seccomp => 317 },
    aarch64 => { audit => 0xc00000b7, connect => 203, sendto => 206, sendmsg => 211, sendmmsg => 269, clone => 220, prctl => 167, seccomp => 277 },
);
# The same on every architecture.
my %everywhere = (pidfd_open => 434, pidfd_getfd => 438, io_uring_setup => 425);

my ($policy_file, $log_file, @program) = @ARGV;
die "expected POLICY LOG PROGRAM\n" unless @program;
chomp(my $machine = `uname -m`);
my %call = (%everywhere, %{ $machines{$machine} // die "knows x86_64 and aarch64, not $machine\n" });
open(my $log, '>>', $log_file) or die "$log_file can't be written: $!\n";
$log->autoflush(1);
my $policy = read_policy();

my $listener = start_program();
my $program = $listener->{pid};
my $over = syscall($call{pidfd_open}, $program, 0);
die "can't watch the program: $!\n" if $over < 0;
# What the program was given it has: whoever waits for its end, of a pipe too, must not wait for this process.
close_all_but(fileno($log), $listener->{fd}, $over, 2);

open(my $asked, '+<&=', $listener->{fd}) or die "no listener: $!\n";
while (1) {
    my $ready = '';
    vec($ready, $_, 1) = 1 for $listener->{fd}, $over;
    next if select($ready, undef, undef, undef) < 0;
    answer() if vec($ready, $listener->{fd}, 1);
    next unless vec($ready, $over, 1);
    waitpid($program, 0);
    my ($signal, $code) = ($? & 127, $? >> 8);
    if ($signal) { $SIG{$_} = 'DEFAULT' for keys %SIG; kill $signal, $$; sleep 1; }
    exit($signal ? 128 + $signal : $code);
}

# Both ends have one table of descriptors until the program begins, so that the kernel puts the listener into both.
sub start_program {
    my ($CLONE_FILES, $CLONE_VFORK, $SIGCHLD) = (0x400, 0x4000, 17);
    my ($PR_SET_PDEATHSIG, $PR_SET_NO_NEW_PRIVS, $PR_SET_CHILD_SUBREAPER, $SIGKILL) = (1, 38, 36, 9);
    # What its parent leaves behind stays below this process: only so may this process look into it (Yama).
    syscall($call{prctl}, $PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    my $filter = filter();
    my $filter_program = pack('S x6 P', length($filter) / 8, $filter);
    my $pid = syscall($call{clone}, $CLONE_FILES | $CLONE_VFORK | $SIGCHLD, 0, 0, 0, 0);
    die "can't start a process: $!\n" if $pid < 0;
    if ($pid == 0) {
        syscall($call{prctl}, $PR_SET_PDEATHSIG, $SIGKILL, 0, 0, 0);
        my ($SET_MODE_FILTER, $NEW_LISTENER) = (1, 8);
        syscall($call{prctl}, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
        syscall($call{seccomp}, $SET_MODE_FILTER, $NEW_LISTENER, $filter_program) >= 0 or die "the kernel gives no fence: $!\n";
        exec { $program[0] } @program or die "$program[0] can't be started: $!\n";
    }
    my ($fd) = grep { (readlink("/proc/self/fd/$_") // '') eq 'anon_inode:seccomp notify' } descriptors();
    return { pid => $pid, fd => $fd } if defined $fd;
    waitpid($pid, 0);
    exit(($? >> 8) || 127);
}

# Classic BPF on struct seccomp_data (seccomp(2)): nr at 0, arch at 4, arguments from 16, 8 bytes each.
sub filter {
    my ($LOAD, $EQUAL, $ATLEAST, $ANYBIT, $RETURN) = (0x20, 0x15, 0x35, 0x45, 0x06);
    my ($ALLOW, $ASK, $ERRNO) = (0x7fff0000, 0x7fc00000, 0x00050000);
    my $line = sub { pack('S C C L', $_[0], $_[2] // 0, $_[3] // 0, $_[1]) };
    my $MSG_FASTOPEN = 0x20000000;
    my $when = sub { my ($name, @then) = @_; ($line->($EQUAL, $call{$name}, 0, scalar @then), @then) };
    my $give = sub { $line->($RETURN, $_[0]) };
    my $flags_at = sub { ($line->($LOAD, $_[0]), $line->($ANYBIT, $MSG_FASTOPEN, 0, 1), $give->($ERRNO | $EOPNOTSUPP), $give->($ALLOW)) };
    return join '', (
        $line->($LOAD, 4), $line->($EQUAL, $call{audit}, 1, 0), $give->($ERRNO | $ENOSYS),
        $line->($LOAD, 0), $line->($ATLEAST, 0x40000000, 0, 1), $give->($ERRNO | $ENOSYS),
        # Its operations pass no filter.
        $when->('io_uring_setup', $give->($ERRNO | $ENOSYS)),
        $when->('connect', $give->($ASK)),
        $when->('sendto', $line->($LOAD, 48), $line->($EQUAL, 0, 0, 2), $line->($LOAD, 52), $line->($EQUAL, 0, 1, 0), $give->($ASK), $give->($ALLOW)),
        $when->('sendmsg', $flags_at->(32)),
        $when->('sendmmsg', $flags_at->(40)),
        $give->($ALLOW),
    );
}

sub answer {
    my ($RECEIVE, $SEND, $CONTINUE) = (0xc0502100, 0xc0182101, 1);
    my $request = "\0" x 80;
    # Who asked may be gone by now.
    ioctl($asked, $RECEIVE, $request) or return;
    my ($id, $thread, undef, $nr, undef, undef, @arguments) = unpack('Q L L l L Q Q6', $request);
    my $error = judge($thread, $nr, @arguments);
    my $response = pack('Q q l L', $id, 0, -$error, $error == 0 ? $CONTINUE : 0);
    ioctl($asked, $SEND, $response);
}

# 0, or the number of the error that the call ends with.
sub judge {
    my ($thread, $nr, @arguments) = @_;
    my $isConnect = $nr == $call{connect};
    my ($descriptor, $pointer, $length) = @arguments[$isConnect ? (0, 1, 2) : (0, 4, 5)];
    $length &= 0xffffffff;
    my $socket_address = memory($thread, $pointer, $length > 28 ? 28 : $length) // return $EACCES;
    return 0 if length($socket_address) < 2; # the kernel refuses it itself
    my $family = unpack('S', $socket_address);
    return 0 if $family == $AF_UNIX || $family == $AF_NETLINK || ($family == $AF_UNSPEC && $isConnect);
    my ($port, $address);
    if ($family == AF_INET && $length >= 8) { ($port, $address) = unpack('x2 n a4', $socket_address) }
    elsif ($family == AF_INET6 && $length >= 24) { ($port, $address) = unpack('x2 n x4 a16', $socket_address) }
    else { return $EACCES }
    # Its packets are those of IPv4.
    $address = substr($address, 12) if length($address) == 16 && substr($address, 0, 12) eq "\0" x 10 . "\xff\xff";

    return 0 if allows($address, $port);
    my $type = socket_type($thread, $descriptor);
    # Without a port nothing can be sent: it is how programs ask the kernel which of their addresses it would take.
    return 0 if $isConnect && $port == 0 && $type ne 'tcp';
    if ($address =~ /^\x7f.{3}$/s || $address eq "\0" x 15 . "\1") {
        my $whose = listener_of($port);
        return 0 if $whose eq 'program' && $type ne 'udp';
        return $ECONNREFUSED if $whose eq 'nobody' && $type eq 'tcp';
    }
    my $text = inet_ntop(length($address) == 4 ? AF_INET : AF_INET6, $address);
    print $log "$text $type $port\n";
    return $EACCES;
}

sub allows {
    my ($address, $port) = @_;
    my $stamp = join ' ', (stat $policy_file)[1, 7, 9];
    $policy = read_policy() if $stamp ne $policy->{stamp};
    for my $rule (@{ $policy->{rules} }) {
        my ($verb, $first, $last) = @$rule;
        next unless length($first) == length($address) && $first le $address && $address le $last;
        next if $verb eq 'nameserver' && $port != 53;
        return $verb ne 'refuse';
    }
    return 0;
}

sub read_policy {
    open(my $file, '<', $policy_file) or die "$policy_file can't be read: $!\n";
    my @rules;
    while (my $line = <$file>) {
        my ($verb, $first, $last) = $line =~ /^(nameserver|allow|refuse) ([0-9a-f]{8}|[0-9a-f]{32})(?: ([0-9a-f]+))?$/
            or die "$policy_file: expected a rule, found: $line";
        push @rules, [$verb, pack('H*', $first), pack('H*', $last // $first)];
    }
    return { stamp => join(' ', (stat $file)[1, 7, 9]), rules => \@rules };
}

# undef where it can't be read: then the call is refused.
sub memory {
    my ($thread, $pointer, $length) = @_;
    return '' if $length == 0;
    open(my $memory, '<:unix', "/proc/$thread/mem") or return undef;
    sysseek($memory, $pointer, 0) or return undef;
    my $read = sysread($memory, my $bytes, $length);
    return defined $read && $read == $length ? $bytes : undef;
}

# tcp or udp; 'port' where the machine does not let it be known, as containers may not.
sub socket_type {
    my ($thread, $descriptor) = @_;
    open(my $status, '<', "/proc/$thread/status") or return 'port';
    my ($process) = map { /^Tgid:\s+(\d+)/ ? $1 : () } <$status>;
    my $pidfd = syscall($call{pidfd_open}, 0 + ($process // return 'port'), 0);
    return 'port' if $pidfd < 0;
    open(my $closes, '<&=', $pidfd);
    my $copy = syscall($call{pidfd_getfd}, $pidfd, $descriptor & 0xffffffff, 0);
    return 'port' if $copy < 0;
    open(my $socket, '+<&=', $copy) or return 'port';
    my $type = unpack('i', getsockopt($socket, SOL_SOCKET, SO_TYPE) // return 'port');
    return $type == SOCK_STREAM ? 'tcp' : $type == SOCK_DGRAM ? 'udp' : 'port';
}

# Who listens to a port of this machine over TCP: the fenced program, as a browser's driver does; another process; nobody.
sub listener_of {
    my ($port) = @_;
    my %inodes;
    for my $table ('/proc/net/tcp', '/proc/net/tcp6') {
        open(my $file, '<', $table) or next;
        while (<$file>) {
            my (undef, $local, undef, $state, @more) = split;
            $inodes{"socket:[$more[5]]"} = 1 if $state eq '0A' && hex((split /:/, $local)[1]) == $port;
        }
    }
    return 'nobody' unless %inodes;
    for my $process (map { m{(\d+)$} } glob '/proc/[0-9]*') {
        next unless is_below($process);
        delete $inodes{ readlink($_) // '' } for glob "/proc/$process/fd/*";
    }
    return %inodes ? 'other' : 'program';
}

sub is_below {
    my ($process) = @_;
    while ($process > 1) {
        return 1 if $process == $$;
        open(my $file, '<', "/proc/$process/stat") or return 0;
        $process = (split ' ', (<$file> // '') =~ s/^.*\)//sr)[1] // 0;
    }
    return 0;
}

sub descriptors { return map { m{(\d+)$} } glob '/proc/self/fd/*' }

sub close_all_but {
    my %kept = map { $_ => 1 } @_;
    require POSIX;
    $kept{$_} or POSIX::close($_) for descriptors();
}
