package workload

import (
	"context"
	"net/http"
	"sync"

	"pronghorn/transaction/internal/client"
)

// route is how requests of some users come to the server.
type route interface {
	// take returns what sends the next request and the number of its connection, 0 where that isn't known; opened: it had to be opened first.
	take(context.Context) (trip http.RoundTripper, connection int64, opened bool, err error)
	// renew gives up the connection: the next request opens one.
	renew()
}

// ledger keeps what became of connections.
type ledger struct {
	mu      sync.Mutex
	opened  []client.Opened
	traffic []client.Traffic
	// measuring: what was opened before is told, but not as part of the run.
	before int
}

func (l *ledger) open(how client.Opened) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = append(l.opened, how)
}

func (l *ledger) close(connection *client.Connection) {
	traffic := connection.Traffic()
	_ = connection.Close() // which can only say that it was closed already
	l.mu.Lock()
	defer l.mu.Unlock()
	l.traffic = append(l.traffic, traffic)
}

// single is one connection at a time, opened anew when it broke.
type single struct {
	run    context.Context
	dialer *client.Dialer
	ledger *ledger
	mu     sync.Mutex
	conn   *client.Connection
	// stop ends the watch over the run.
	stop func() bool
}

func (s *single) take(ctx context.Context) (http.RoundTripper, int64, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil && s.conn.Broken() {
		s.drop()
	}
	if s.conn != nil {
		return s.conn, s.conn.Opened.ID, false, nil
	}
	conn, err := s.dialer.Open(ctx)
	if err != nil {
		return nil, 0, true, err
	}
	s.ledger.open(conn.Opened)
	s.conn = conn
	// What is under way ends with the run that is broken off.
	s.stop = context.AfterFunc(s.run, func() { _ = conn.Close() })
	return conn, conn.Opened.ID, true, nil
}

func (s *single) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *single) drop() {
	if s.conn != nil {
		s.stop()
		s.ledger.close(s.conn)
		s.conn = nil
	}
}

// pool is what the HTTP library of Go makes of it.
type pool struct {
	trip  http.RoundTripper
	close func()
}

func (p *pool) take(context.Context) (http.RoundTripper, int64, bool, error) {
	return p.trip, 0, false, nil
}

func (p *pool) renew() { p.close() }
