package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// Names of what a request can fail of; each request that is no success has one of them.
const (
	ErrDNS       = "dns"            // the host has no address
	ErrRefused   = "refused"        // nobody listens
	ErrUnreached = "unreachable"    // no way there
	ErrTLS       = "tls"            // certificate, version or cipher
	ErrProtocol  = "wrong-protocol" // another one than was asked for
	ErrTimeout   = "timeout"        // no end within the time of a request
	ErrReset     = "reset"          // the connection was cut off
	ErrClosed    = "closed"         // the server closed the connection
	ErrStream    = "stream-reset"   // the server gave up this request alone
	ErrShort     = "incomplete"     // the body ended too early
	ErrStatus    = "http-status"    // an answer that is no success
	ErrNotSent   = "not-sent"       // the time of the run was over
	ErrOther     = "other"
)

// wrongProtocol is what a server speaks in place of what was asked for.
type wrongProtocol struct{ asked, got string }

func (e wrongProtocol) Error() string {
	if e.got == "" {
		return "the server does not agree on " + e.asked
	}
	return "asked for " + e.asked + ", got " + e.got
}

// noApplicationProtocol is TLS's alert of a server that speaks none of the protocols that it was offered (RFC 7301); QUIC's crypto errors are 0x100 and the alert.
const noApplicationProtocol = 120

// NameOf tells which of the names an error has. Kinds that net/http keeps to itself are told by their words.
func NameOf(err error) string {
	var (
		dns         *net.DNSError
		wrong       wrongProtocol
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		alert       tls.AlertError
		record      tls.RecordHeaderError
		idle        *quic.IdleTimeoutError
		handshake   *quic.HandshakeTimeoutError
		stateless   *quic.StatelessResetError
		transport   *quic.TransportError
		application *quic.ApplicationError
		stream      *quic.StreamError
		h3          *http3.Error
		timeout     net.Error
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &wrong):
		return ErrProtocol
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &idle), errors.As(err, &handshake):
		return ErrTimeout
	case errors.As(err, &dns):
		return ErrDNS
	case errors.Is(err, syscall.ECONNREFUSED):
		return ErrRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return ErrUnreached
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.As(err, &stateless):
		return ErrReset
	case strings.Contains(err.Error(), "tls: no application protocol"):
		return ErrProtocol
	case errors.As(err, &certificate), errors.As(err, &unknown), errors.As(err, &alert), errors.As(err, &record):
		return ErrTLS
	case errors.As(err, &transport):
		switch {
		case transport.ErrorCode == 0x100+noApplicationProtocol:
			return ErrProtocol
		case transport.ErrorCode.IsCryptoError():
			return ErrTLS
		}
		return ErrReset
	case errors.As(err, &stream):
		return ErrStream
	case errors.As(err, &application):
		return ErrClosed
	case errors.As(err, &h3):
		return ErrStream
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrShort
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return ErrClosed
	case errors.As(err, &timeout) && timeout.Timeout():
		return ErrTimeout
	}
	words := err.Error()
	switch {
	case strings.Contains(words, "stream error"):
		return ErrStream
	case strings.Contains(words, "GOAWAY"), strings.Contains(words, "connection lost"), strings.Contains(words, "server closed idle connection"),
		strings.Contains(words, "client conn"), strings.Contains(words, "readLoop exiting"), strings.Contains(words, "use of closed"):
		return ErrClosed
	case strings.Contains(words, "tls:"):
		return ErrTLS
	}
	return ErrOther
}

// notProcessed tells that the server has not worked on a request that got no answer, so that it may be sent once more, whatever it does: the server takes
// no more of them on this connection, or refused this one (RFC 9113, 8.7; RFC 9114, 4.1.1 and 5.2).
func notProcessed(err error) bool {
	var (
		h3     *http3.Error
		stream *quic.StreamError
	)
	switch {
	case endedByServer(err):
		return true
	case errors.As(err, &h3):
		// The library ends a connection that takes no more when it has no request under way, which may be just before this one was sent.
		return h3.Remote && h3.ErrorCode == http3.ErrCodeRequestRejected || !h3.Remote && h3.ErrorCode == http3.ErrCodeNoError
	case errors.As(err, &stream):
		return stream.Remote && http3.ErrCode(stream.ErrorCode) == http3.ErrCodeRequestRejected
	}
	return takesNoMore(err) || strings.Contains(err.Error(), "REFUSED_STREAM")
}

// endedByServer tells that the server closed a connection of HTTP/3 in order, as it does when all requests that it took have ended. QUIC's library
// then drops what it has received and nobody has read: the end of an answer, or all of it.
func endedByServer(err error) bool {
	var application *quic.ApplicationError
	return errors.As(err, &application) && application.Remote && http3.ErrCode(application.ErrorCode) == http3.ErrCodeNoError
}

var errTakesNoMore = errors.New("the connection takes no more requests")

// takesNoMore tells that a connection takes no further requests (GOAWAY, Connection: close). net/http and http3 keep its kinds to themselves.
func takesNoMore(err error) bool {
	if errors.Is(err, errTakesNoMore) {
		return true
	}
	words := err.Error()
	return strings.Contains(words, "graceful shutdown") || strings.Contains(words, "client conn not usable")
}
