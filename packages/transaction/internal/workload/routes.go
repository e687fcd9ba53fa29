package workload

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"pronghorn/transaction/internal/client"
)

// route is how requests of some users come to the server.
type route interface {
	// take returns what sends the next request and the number of its connection, 0 where that isn't known; opened: it had to be opened first.
	take(context.Context) (trip http.RoundTripper, connection int64, opened bool, err error)
	// release says that a request has ended which was sent by what take returned.
	release(trip http.RoundTripper)
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

// read returns what there is by now: a pool's dial that no request waits for any more may still end.
func (l *ledger) read() ([]client.Opened, []client.Traffic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.opened), slices.Clone(l.traffic)
}

// single is one connection at a time, opened anew when it broke, or when the server takes no more requests on it.
type single struct {
	run    context.Context
	dialer *client.Dialer
	ledger *ledger
	mu     sync.Mutex
	now    *held
}

// held is a connection and how many requests are under way on it. It is closed after the last of them.
type held struct {
	*client.Connection
	underWay int
	// stop ends the watch over the run.
	stop func() bool
}

func (s *single) take(ctx context.Context) (http.RoundTripper, int64, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil && s.now.Broken() {
		s.drop()
	}
	opened := s.now == nil
	if opened {
		conn, err := s.dialer.Open(ctx)
		if err != nil {
			return nil, 0, true, err
		}
		s.ledger.open(conn.Opened)
		// What is under way ends with the run that is broken off.
		s.now = &held{Connection: conn, stop: context.AfterFunc(s.run, func() { _ = conn.Close() })}
	}
	s.now.underWay++
	return s.now, s.now.Opened.ID, opened, nil
}

func (s *single) release(trip http.RoundTripper) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := trip.(*held)
	one.underWay--
	if one != s.now && one.underWay == 0 {
		s.end(one)
	}
}

func (s *single) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// drop takes no more requests on the connection.
func (s *single) drop() {
	one := s.now
	s.now = nil
	if one != nil && one.underWay == 0 {
		s.end(one)
	}
}

func (s *single) end(one *held) {
	one.stop()
	s.ledger.close(one.Connection)
}

// pool is what the HTTP library of Go makes of it.
type pool struct {
	trip  http.RoundTripper
	close func()
}

func (p *pool) take(context.Context) (http.RoundTripper, int64, bool, error) {
	return p.trip, 0, false, nil
}

func (p *pool) release(http.RoundTripper) {}

func (p *pool) renew() { p.close() }
