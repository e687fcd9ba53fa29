// Package limits holds what client and server allow each other over HTTP/2 and HTTP/3: the same on both sides and over both protocols, so that
// no difference between protocols is one of buffers. HTTP/1.1 has none of these: there the kernel's socket buffers are all.
package limits

import (
	"net/http"
	"time"

	"github.com/quic-go/quic-go"
)

const (
	// StreamWindow is how much of one body may be on its way unread, in bytes. net/http allows less than 4 MiB.
	StreamWindow = 4<<20 - 1
	// ConnectionWindow is that of all bodies of a connection together.
	ConnectionWindow = 4<<20 - 1
	// Streams is how many requests a connection may have at a time.
	Streams = 1_000
	// KeepAlive is after how long without a packet a client asks whether the server is there: over TCP net's own. Without it QUIC gives a connection up after 30 s
	// that TCP keeps.
	KeepAlive = 15 * time.Second
)

// HTTP2 has the limits as net/http takes them.
func HTTP2() *http.HTTP2Config {
	return &http.HTTP2Config{
		MaxConcurrentStreams:          Streams,
		MaxReceiveBufferPerStream:     StreamWindow,
		MaxReceiveBufferPerConnection: ConnectionWindow,
		// Otherwise more than so many requests open another connection.
		StrictMaxConcurrentRequests: true,
	}
}

// QUIC has them as quic-go takes them: from the first byte, since HTTP/2's don't grow either.
func QUIC() *quic.Config {
	return &quic.Config{
		InitialStreamReceiveWindow:     StreamWindow,
		MaxStreamReceiveWindow:         StreamWindow,
		InitialConnectionReceiveWindow: ConnectionWindow,
		MaxConnectionReceiveWindow:     ConnectionWindow,
		KeepAlivePeriod:                KeepAlive,
	}
}
