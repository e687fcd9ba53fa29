// Package workload sends many requests as a plan says, and accounts for each.
package workload

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// What ends a run, and when requests are sent.
const (
	// Count: each user sends so many requests, one after another.
	Count = "count"
	// Duration: each stream of each connection sends one after another until the time is over.
	Duration = "duration"
	// Rate: so many a second are due, whether earlier ones have ended or not (open loop).
	Rate = "rate"
)

// How requests come to their connections.
const (
	// PerUser: each user has one.
	PerUser = "user"
	// Shared: Connections of them, which users share evenly.
	Shared = "shared"
	// Pool: as many as the HTTP library of Go opens by itself.
	Pool = "pool"
)

// What of connections is measured.
const (
	// Warm: each is opened and has answered one request before the run begins.
	Warm = "warm"
	// Cold: each is opened by its first request.
	Cold = "cold"
	// Each: every request opens one.
	Each = "each"
)

// Limits that no plan passes, so that a slip of the pen is no attack.
const (
	MaxUsers    = 10_000
	MaxRequests = 10_000_000
	MaxSeconds  = 7_200
	MaxRate     = 200_000
	MaxBody     = 1 << 30
)

// Plan is one run of one protocol.
type Plan struct {
	// URLs are asked for in turn: of one host.
	URLs     []string `json:"urls"`
	Method   string   `json:"method"`
	Body     int64    `json:"body"`
	Protocol string   `json:"protocol"`
	Mode     string   `json:"mode"`
	// Users work at the same time; of Rate: the most requests that may be under way.
	Users int `json:"users"`
	// Requests of each user.
	Requests int `json:"requests"`
	// Seconds of Duration and Rate; of Count the most that the run may take, 0: no limit but MaxSeconds.
	Seconds float64 `json:"seconds"`
	// RequestsPerSecond of Rate.
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	// Poisson: what is due has random distances, as independent users have, and not equal ones.
	Poisson     bool   `json:"poisson"`
	Seed        uint64 `json:"seed"`
	Connections string `json:"connections"`
	// Shared among this many.
	Shared    int     `json:"shared"`
	State     string  `json:"state"`
	EarlyData bool    `json:"earlyData"`
	TimeoutMs float64 `json:"timeoutMs"`
	// At is ip:port of where the host is found, empty: as its name resolves.
	At string `json:"at"`
	// Authority is the PEM of what to trust in place of the system's authorities.
	Authority string `json:"authority"`
	// Header of each request.
	Header map[string]string `json:"header"`
	// AskUsage: the target is the built-in server, which is asked what the run cost it.
	AskUsage bool `json:"askUsage"`
	// MaxSamples is how many requests are told one by one, at most; all are in the histograms.
	MaxSamples int `json:"maxSamples"`
}

// Check fills in what is left out and tells all that can't be run.
func (p *Plan) Check() error {
	p.Method = cmp.Or(p.Method, http.MethodGet)
	p.Connections = cmp.Or(p.Connections, PerUser)
	p.State = cmp.Or(p.State, Warm)
	p.TimeoutMs = cmp.Or(p.TimeoutMs, 30_000)
	p.Shared = cmp.Or(p.Shared, 1)
	var wrong []error
	refuse := func(is bool, words string, values ...any) {
		if is {
			wrong = append(wrong, fmt.Errorf(words, values...))
		}
	}
	refuse(len(p.URLs) == 0, "urls: expected at least one")
	host := ""
	for _, text := range p.URLs {
		parsed, err := url.Parse(text)
		if err != nil {
			refuse(true, "urls: %w", err)
			continue
		}
		if parsed.Scheme != "https" || parsed.Host == "" {
			refuse(true, "urls: %q is no https:// URL", text)
			continue
		}
		refuse(host != "" && parsed.Host != host, "urls: %s and %s are two hosts: a run has one", host, parsed.Host)
		host = parsed.Host
	}
	refuse(p.Method != http.MethodGet && p.Method != http.MethodPost, "method: %q, expected GET or POST", p.Method)
	refuse(p.Body < 0 || p.Body > MaxBody, "body: %d, expected 0 to %d bytes", p.Body, MaxBody)
	refuse(p.Users < 1 || p.Users > MaxUsers, "users: %d, expected 1 to %d", p.Users, MaxUsers)
	refuse(p.Seconds < 0 || p.Seconds > MaxSeconds, "seconds: %v, expected at most %d", p.Seconds, MaxSeconds)
	refuse(p.MaxSamples < 0 || p.MaxSamples > MaxRequests, "maxSamples: %d, expected 0 to %d", p.MaxSamples, MaxRequests)
	refuse(p.TimeoutMs <= 0, "timeoutMs: %v, expected more than 0", p.TimeoutMs)
	refuse(p.Shared < 1 || p.Shared > p.Users, "shared: %d connections for %d users", p.Shared, p.Users)
	switch p.Mode {
	case Count:
		refuse(p.Requests < 1 || p.Requests*p.Users > MaxRequests, "requests: %d of each of %d users, expected 1 to %d in all", p.Requests, p.Users, MaxRequests)
	case Duration:
		refuse(p.Seconds == 0, "seconds: expected more than 0")
	case Rate:
		refuse(p.Seconds == 0, "seconds: expected more than 0")
		refuse(p.RequestsPerSecond <= 0 || p.RequestsPerSecond > MaxRate, "requestsPerSecond: %v, expected more than 0 and at most %d", p.RequestsPerSecond, MaxRate)
	default:
		refuse(true, "mode: %q, expected count, duration or rate", p.Mode)
	}
	refuse(p.Connections != PerUser && p.Connections != Shared && p.Connections != Pool, "connections: %q, expected user, shared or pool", p.Connections)
	refuse(p.State != Warm && p.State != Cold && p.State != Each, "state: %q, expected warm, cold or each", p.State)
	refuse(p.State == Each && p.Connections != PerUser, "state each: every request has a connection of its own, so connections can only be user")
	refuse(p.EarlyData && p.Protocol != "h3", "earlyData: over HTTP/3 alone")
	return errors.Join(wrong...)
}

func (p *Plan) timeout() time.Duration { return time.Duration(p.TimeoutMs * float64(time.Millisecond)) }

func (p *Plan) limit() time.Duration {
	if p.Seconds == 0 {
		return MaxSeconds * time.Second
	}
	return time.Duration(p.Seconds * float64(time.Second))
}
