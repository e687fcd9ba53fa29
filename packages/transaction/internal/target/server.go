package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"pronghorn/transaction/internal/limits"
)

// Server answers on one port: HTTP/1.1 and HTTP/2 over TCP, HTTP/3 over UDP.
type Server struct {
	// Address is host:port, with the port that was taken where 0 was asked for.
	Address string
	tcp     *http.Server
	quic    *http3.Server
	udp     net.PacketConn
	ended   chan error
}

// Start listens at an address such as 127.0.0.1:0. Requests may take as long as they like: who measures has time limits of their own.
func Start(address string, certificate tls.Certificate, handler http.Handler) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("can't listen for HTTP/1.1 and HTTP/2: %w", err)
	}
	udp, err := net.ListenPacket("udp", listener.Addr().String())
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("can't listen for HTTP/3: %w", err)
	}
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}}
	server := &Server{Address: listener.Addr().String(), udp: udp, ended: make(chan error, 2)}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	server.tcp = &http.Server{
		Handler:           handler,
		TLSConfig:         tlsConfig.Clone(),
		Protocols:         &protocols,
		HTTP2:             limits.HTTP2(),
		ReadHeaderTimeout: time.Minute,
	}
	server.quic = &http3.Server{Handler: handler, TLSConfig: http3.ConfigureTLSConfig(tlsConfig), QUICConfig: quicConfig()}
	go func() { server.ended <- server.tcp.ServeTLS(listener, "", "") }()
	go func() { server.ended <- server.quic.Serve(udp) }()
	return server, nil
}

func quicConfig() *quic.Config {
	config := limits.QUIC()
	config.Allow0RTT = true
	config.KeepAlivePeriod = 0 // the client does
	config.MaxIncomingStreams = limits.Streams
	return config
}

// Wait returns when the server ended, with the reason where it was not asked to.
func (s *Server) Wait() error {
	err := <-s.ended
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all connections at once.
func (s *Server) Close() error {
	return errors.Join(s.tcp.Close(), s.quic.Close(), s.udp.Close())
}

// Shutdown lets running requests end first.
func (s *Server) Shutdown(ctx context.Context) error {
	return errors.Join(s.tcp.Shutdown(ctx), s.quic.Shutdown(ctx), s.udp.Close())
}
