# sockets.pl DEVICE DEVICE PROGRAM ARGUMENT…: becomes the program with a packet socket for each device; SOCKET0 and SOCKET1 in
# the arguments stand for their descriptors. Needs root; what it starts does not, nor any access to the devices.
#
# Why not taps: the kernel signals a tap's reader before it marks the tap readable, so on two processors User-Mode Linux
# looks too early, finds nothing and lets the packet lie until the next one comes: 22 of 20,000 single packets were stuck.
use strict;
use warnings;
use Socket;

my ($AF_PACKET, $ETH_P_ALL, $SIOCGIFINDEX, $SO_SNDBUFFORCE, $SO_RCVBUFFORCE) = (17, 3, 0x8933, 32, 33);
my $queue_bytes = 16 << 20; # what comes while the guest waits for a processor: 100 ms at 1 Gbit/s

$^F = 1_000; # descriptors below stay open in the program
my @sockets;
for my $device (splice @ARGV, 0, 2) {
    socket(my $socket, $AF_PACKET, SOCK_RAW, 0) or die "no packet socket for $device: $!\n";
    my $request = pack('a16 x24', $device);
    ioctl($socket, $SIOCGIFINDEX, $request) or die "no device $device: $!\n";
    my (undef, $index) = unpack('a16 i', $request);
    for my $option ($SO_SNDBUFFORCE, $SO_RCVBUFFORCE) {
        setsockopt($socket, SOL_SOCKET, $option, pack('i', $queue_bytes)) or die "no queue for $device: $!\n";
    }
    bind($socket, pack('S n i S C C a8', $AF_PACKET, $ETH_P_ALL, $index, 0, 0, 0, '')) or die "$device can't be listened to: $!\n";
    push @sockets, $socket;
}
s/SOCKET([01])/fileno($sockets[$1])/e for @ARGV;
exec { $ARGV[0] } @ARGV or die "$ARGV[0] can't be started: $!\n";
