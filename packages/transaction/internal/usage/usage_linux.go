// Package usage tells what a process and its sockets took of the machine, as Linux counts it.
package usage

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Process is what a process took since it began.
type Process struct {
	CPUSeconds float64 `json:"cpuSeconds"`
	// PeakMemory is the most that it had in memory at a time, in bytes.
	PeakMemory int64 `json:"peakMemory"`
}

// Self is what this process took.
func Self() (Process, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return Process{}, err
	}
	peak, err := peakMemory()
	if err != nil {
		return Process{}, err
	}
	seconds := func(of syscall.Timeval) float64 { return float64(of.Sec) + float64(of.Usec)/1e6 }
	return Process{CPUSeconds: seconds(used.Utime) + seconds(used.Stime), PeakMemory: peak}, nil
}

// peakMemory is what getrusage would tell too, but for the resets.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("/proc/self/status has no VmHWM")
}

// ResetPeak lets the peak of this process's memory begin at what it needs now, where the kernel allows that: what was used before is given back first.
func ResetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// ReceiveBuffer is what the kernel gives a socket, in bytes; 0 where it doesn't tell.
func ReceiveBuffer(conn any) int {
	value := 0
	_ = control(conn, func(fd int) (err error) {
		value, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
		return err
	})
	return value
}

// HasUnread tells that something arrived at a socket, its end as well, that nobody has read.
func HasUnread(conn net.Conn) bool {
	unread := false
	_ = control(conn, func(fd int) error {
		_, _, err := unix.Recvfrom(fd, make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		unread = err != unix.EAGAIN
		return nil
	})
	return unread
}

// TCP is what the kernel knows of a connection (tcp_info).
func TCP(conn net.Conn) (*unix.TCPInfo, error) {
	var info *unix.TCPInfo
	err := control(conn, func(fd int) (err error) {
		info, err = unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		return err
	})
	return info, err
}

func control(conn any, do func(fd int) error) error {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return fmt.Errorf("%T is no socket", conn)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// DroppedDatagrams counts those that found the buffer of a local UDP port full; nil where the kernel doesn't tell.
func DroppedDatagrams(address net.Addr) *uint64 {
	udp, ok := address.(*net.UDPAddr)
	if !ok {
		return nil
	}
	var sum uint64
	found := false
	for _, table := range []string{"/proc/self/net/udp", "/proc/self/net/udp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			fields := strings.Fields(line)
			if len(fields) < 13 || !strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", udp.Port)) {
				continue
			}
			drops, err := strconv.ParseUint(fields[len(fields)-1], 10, 64)
			if err != nil {
				continue
			}
			sum, found = sum+drops, true
		}
	}
	if !found {
		return nil
	}
	return &sum
}
