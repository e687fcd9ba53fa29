// Package client sends requests over connections that it opens itself, so that each is known, counted and of the protocol that was asked for.
package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/sys/unix"

	"pronghorn/transaction/internal/limits"
	"pronghorn/transaction/internal/payload"
	"pronghorn/transaction/internal/usage"
)

// Protocol is what every connection of a run has to speak.
type Protocol string

const (
	H1 Protocol = "h1"
	H2 Protocol = "h2"
	H3 Protocol = "h3"
)

// alpn has the names by which servers know them.
var alpn = map[Protocol]string{H1: "http/1.1", H2: "h2", H3: "h3"}

// Opened tells how a connection came to be, times in milliseconds.
type Opened struct {
	ID int64 `json:"id"`
	// HandshakeMs is from the first packet until requests can be sent: TCP and TLS, or QUIC.
	HandshakeMs float64 `json:"handshakeMs"`
	// TCPMs is TCP's part of it; nil over QUIC.
	TCPMs *float64 `json:"tcpMs"`
	// Resumed: with a ticket of an earlier connection.
	Resumed bool `json:"resumed"`
	// EarlyData: the server took what was sent before the handshake's end (0-RTT).
	EarlyData bool   `json:"earlyData"`
	Cipher    string `json:"cipher"`
	Local     string `json:"local"`
	Remote    string `json:"remote"`
	// GSO: QUIC's packets are handed to the kernel in bundles.
	GSO bool `json:"gso"`
	// ReceiveBuffer is what the kernel gives the socket, in bytes.
	ReceiveBuffer int `json:"receiveBuffer"`
	// settle fills in what is known only after a handshake that requests did not wait for; nil: all is known.
	settle func(*Opened)
}

// Settle completes what early data left open. It returns when the handshake or the connection has ended.
func (o *Opened) Settle() {
	if o.settle != nil {
		o.settle(o)
	}
}

// Traffic is what a connection sent and received over the wire without what IP and UDP or TCP add; what can't be had is nil.
type Traffic struct {
	PacketsSent     *uint64  `json:"packetsSent"`
	PacketsReceived *uint64  `json:"packetsReceived"`
	Retransmitted   *uint64  `json:"retransmitted"`
	MinRTTMs        *float64 `json:"minRttMs"`
	// Dropped counts datagrams that found the socket's buffer full.
	Dropped *uint64 `json:"dropped"`
}

// Connection is one connection to the server.
type Connection struct {
	Opened  Opened
	trip    http.RoundTripper
	close   func() error
	broken  func() bool
	traffic func() Traffic
	// full: the server takes no more requests, those under way excepted.
	full atomic.Bool
}

// Broken tells that no further request can be sent over it.
func (c *Connection) Broken() bool { return c.full.Load() || c.broken() }

// Close ends it, and with it what is under way.
func (c *Connection) Close() error { return c.close() }

// Traffic is that since it was opened; it is to be asked for before Close.
func (c *Connection) Traffic() Traffic { return c.traffic() }

// Dialer opens connections to one server.
type Dialer struct {
	Protocol Protocol
	// Address is host:port of the URL.
	Address string
	// At is where the host is found, as ip:port; empty: as the system resolves its name.
	At string
	// Roots are trusted in place of the system's authorities; nil: those.
	Roots *x509.CertPool
	// Tickets are kept between connections; nil: none is resumed.
	Tickets tls.ClientSessionCache
	// EarlyData lets GET requests go before the handshake's end, where a ticket is there: HTTP/3 alone.
	EarlyData bool

	last atomic.Int64
}

func (d *Dialer) tlsConfig() (*tls.Config, error) {
	host, _, err := net.SplitHostPort(d.Address)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		ServerName:         host,
		NextProtos:         []string{alpn[d.Protocol]},
		RootCAs:            d.Roots,
		ClientSessionCache: d.Tickets,
	}, nil
}

func (d *Dialer) at() string {
	if d.At != "" {
		return d.At
	}
	return d.Address
}

// Open opens a connection and proves its protocol.
func (d *Dialer) Open(ctx context.Context) (*Connection, error) {
	if d.Protocol == H3 {
		return d.openQUIC(ctx)
	}
	conn, opened, err := d.dialTLS(ctx)
	if err != nil {
		return nil, err
	}
	socket := conn.NetConn().(*noted)
	traffic := func() Traffic { return tcpTraffic(socket) }
	if d.Protocol == H1 {
		over := newExchanger(conn, socket)
		return &Connection{Opened: opened, trip: over, close: conn.Close, broken: over.Broken, traffic: traffic}, nil
	}
	transport := d.transport()
	transport.DialTLSContext = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	over, err := transport.NewClientConn(ctx, "https", d.Address)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Connection{
		Opened:  opened,
		trip:    over,
		close:   over.Close,
		broken:  func() bool { return over.Err() != nil },
		traffic: traffic,
	}, nil
}

// Pool lets the HTTP library of Go open connections as it does by itself: as many as it likes. Each is told to opened.
func (d *Dialer) Pool(opened func(Opened)) (trip http.RoundTripper, closeAll func()) {
	if d.Protocol == H3 {
		transport := &http3.Transport{DisableCompression: true, QUICConfig: limits.QUIC()}
		transport.Dial = func(ctx context.Context, _ string, _ *tls.Config, _ *quic.Config) (*quic.Conn, error) {
			conn, how, _, err := d.dialQUIC(ctx)
			if err == nil {
				opened(how)
			}
			return conn, err
		}
		return transport, func() { _ = transport.Close() }
	}
	transport := d.transport()
	transport.DialTLSContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, how, err := d.dialTLS(ctx)
		if err != nil {
			return nil, err
		}
		opened(how)
		return conn, nil
	}
	return transport, transport.CloseIdleConnections
}

func (d *Dialer) transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(d.Protocol == H1)
	protocols.SetHTTP2(d.Protocol == H2)
	return &http.Transport{
		Protocols:          &protocols,
		HTTP2:              limits.HTTP2(),
		DisableCompression: true,
		ReadBufferSize:     payload.BlockSize,
		WriteBufferSize:    payload.BlockSize,
		// As many stay open as were opened.
		MaxIdleConnsPerHost: 1 << 20,
	}
}

func (d *Dialer) dialTLS(ctx context.Context) (*tls.Conn, Opened, error) {
	config, err := d.tlsConfig()
	if err != nil {
		return nil, Opened{}, err
	}
	begun := time.Now()
	tcp, err := (&net.Dialer{}).DialContext(ctx, "tcp", d.at())
	if err != nil {
		return nil, Opened{}, err
	}
	connected := milliseconds(time.Since(begun))
	conn := tls.Client(&noted{TCPConn: tcp.(*net.TCPConn)}, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, Opened{}, errors.Join(err, tcp.Close())
	}
	state := conn.ConnectionState()
	if got := state.NegotiatedProtocol; got != alpn[d.Protocol] && (d.Protocol != H1 || got != "") {
		return nil, Opened{}, errors.Join(wrongProtocol{string(d.Protocol), got}, tcp.Close())
	}
	return conn, Opened{
		ID:            d.last.Add(1),
		HandshakeMs:   milliseconds(time.Since(begun)),
		TCPMs:         &connected,
		Resumed:       state.DidResume,
		Cipher:        tls.CipherSuiteName(state.CipherSuite),
		Local:         tcp.LocalAddr().String(),
		Remote:        tcp.RemoteAddr().String(),
		ReceiveBuffer: usage.ReceiveBuffer(tcp),
	}, nil
}

// dialQUIC opens a connection from a socket of its own, as browsers do. dropped counts its datagrams that found the socket's buffer full.
func (d *Dialer) dialQUIC(ctx context.Context) (*quic.Conn, Opened, func() *uint64, error) {
	config, err := d.tlsConfig()
	if err != nil {
		return nil, Opened{}, nil, err
	}
	address, err := net.ResolveUDPAddr("udp", d.at())
	if err != nil {
		return nil, Opened{}, nil, err
	}
	socket, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, Opened{}, nil, err
	}
	transport := &quic.Transport{Conn: socket}
	dial := transport.Dial
	if d.EarlyData {
		dial = transport.DialEarly
	}
	begun := time.Now()
	conn, err := dial(ctx, address, config, limits.QUIC())
	if err != nil {
		return nil, Opened{}, nil, errors.Join(err, transport.Close(), socket.Close())
	}
	opened := Opened{HandshakeMs: milliseconds(time.Since(begun))}
	state := conn.ConnectionState()
	opened.ID = d.last.Add(1)
	opened.Resumed = state.TLS.DidResume
	if d.EarlyData {
		opened.settle = settling(conn)
	}
	opened.Cipher = tls.CipherSuiteName(state.TLS.CipherSuite)
	opened.Local = socket.LocalAddr().String()
	opened.Remote = address.String()
	opened.GSO = state.GSO
	opened.ReceiveBuffer = usage.ReceiveBuffer(socket)
	var last atomic.Pointer[uint64]
	dropped := func() *uint64 {
		if now := usage.DroppedDatagrams(socket.LocalAddr()); now != nil {
			return now
		}
		return last.Load()
	}
	// The socket goes with its connection.
	go func() {
		<-conn.Context().Done()
		last.Store(usage.DroppedDatagrams(socket.LocalAddr()))
		_ = transport.Close()
		_ = socket.Close()
	}()
	return conn, opened, dropped, nil
}

// settling waits for a handshake's end: until then neither side knows whether the server takes early data.
func settling(conn *quic.Conn) func(*Opened) {
	var resumed, early bool
	var cipher uint16
	known := make(chan struct{})
	go func() {
		defer close(known)
		select {
		case <-conn.HandshakeComplete():
		case <-conn.Context().Done():
		}
		state := conn.ConnectionState()
		resumed, early, cipher = state.TLS.DidResume, state.Used0RTT, state.TLS.CipherSuite
	}()
	return func(opened *Opened) {
		<-known
		opened.Resumed, opened.EarlyData, opened.Cipher = resumed, early, tls.CipherSuiteName(cipher)
	}
}

func (d *Dialer) openQUIC(ctx context.Context) (*Connection, error) {
	conn, opened, dropped, err := d.dialQUIC(ctx)
	if err != nil {
		return nil, err
	}
	over := (&http3.Transport{DisableCompression: true}).NewClientConn(conn)
	return &Connection{
		Opened: opened,
		trip:   over,
		close:  func() error { return conn.CloseWithError(0, "") },
		broken: func() bool { return conn.Context().Err() != nil },
		traffic: func() Traffic {
			stats := conn.ConnectionStats()
			rtt := milliseconds(stats.MinRTT)
			return Traffic{
				PacketsSent:     &stats.PacketsSent,
				PacketsReceived: &stats.PacketsReceived,
				Retransmitted:   &stats.PacketsLost,
				MinRTTMs:        &rtt,
				Dropped:         dropped(),
			}
		},
	}, nil
}

// noted is a connection of which the kernel's figures stay when a library closes it.
type noted struct {
	*net.TCPConn
	last atomic.Pointer[unix.TCPInfo]
}

func (n *noted) Close() error {
	if info, err := usage.TCP(n.TCPConn); err == nil {
		n.last.Store(info)
	}
	return n.TCPConn.Close()
}

func tcpTraffic(conn *noted) Traffic {
	info, err := usage.TCP(conn.TCPConn)
	if err != nil {
		info = conn.last.Load()
	}
	if info == nil {
		return Traffic{}
	}
	sent, received, again := uint64(info.Segs_out), uint64(info.Segs_in), uint64(info.Total_retrans)
	rtt := float64(info.Min_rtt) / 1_000
	return Traffic{PacketsSent: &sent, PacketsReceived: &received, Retransmitted: &again, MinRTTMs: &rtt}
}

func milliseconds(of time.Duration) float64 { return float64(of) / float64(time.Millisecond) }

// ParseProtocol takes h1, h2 and h3, and 1, 2 and 3.
func ParseProtocol(text string) (Protocol, error) {
	switch text {
	case "h1", "1":
		return H1, nil
	case "h2", "2":
		return H2, nil
	case "h3", "3":
		return H3, nil
	}
	return "", fmt.Errorf("protocol %q: expected h1, h2 or h3", text)
}

// RoundTrip sends over this connection and no other.
func (c *Connection) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.trip.RoundTrip(request)
	if err != nil && takesNoMore(err) {
		c.full.Store(true)
	}
	return response, err
}
