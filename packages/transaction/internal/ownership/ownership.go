// Package ownership asks a server whose requests it expects, before it is loaded.
package ownership

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"pronghorn/transaction/internal/client"
)

// Path is where a server tells it.
const Path = "/.well-known/pronghorn"

// maxAnswer is more than any token with its line break has.
const maxAnswer = 1_000

// Question is which server is asked.
type Question struct {
	// Origin is https://host or https://host:port.
	Origin string `json:"origin"`
	// Authority is the PEM of what to trust in place of the system's authorities.
	Authority string `json:"authority"`
	// TimeoutMs is what all of it may take, the name's resolution included.
	TimeoutMs float64 `json:"timeoutMs"`
}

// Answer is what came. Error is one of the client's names, empty where an answer came, whatever it says.
type Answer struct {
	// Remote is the ip:port that answered: what is loaded has to be the same.
	Remote string `json:"remote"`
	Status int    `json:"status"`
	// Line is the first of the body, of its first thousand bytes.
	Line   string `json:"line"`
	Error  string `json:"error,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Ask sends one request over TLS, by HTTP/2 or HTTP/1.1. No redirect is followed, no proxy is asked, and no more than a thousand bytes are read.
// It fails only where the question can't be asked.
func Ask(ctx context.Context, question Question) (Answer, error) {
	target, err := url.Parse(question.Origin)
	if err != nil || target.Scheme != "https" || target.Host == "" || question.TimeoutMs <= 0 {
		return Answer{}, fmt.Errorf("origin %q, timeoutMs %v: expected https://host and more than 0", question.Origin, question.TimeoutMs)
	}
	var roots *x509.CertPool
	if question.Authority != "" {
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM([]byte(question.Authority)) {
			return Answer{}, errors.New("authority: no certificate in PEM")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(question.TimeoutMs*float64(time.Millisecond)))
	defer cancel()
	answer, err := ask(ctx, &url.URL{Scheme: "https", Host: target.Host, Path: Path}, roots)
	if err != nil {
		answer.Error, answer.Detail = client.NameOf(err), err.Error()
	}
	return answer, nil
}

func ask(ctx context.Context, at *url.URL, roots *x509.CertPool) (answer Answer, err error) {
	// Of several addresses the last one that was reached is the one that is spoken to.
	var remote atomic.Value
	transport := &http.Transport{
		DisableKeepAlives:      true,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: 1 << 14,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				remote.Store(conn.RemoteAddr().String())
			}
			return conn, err
		},
	}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return answer, err
	}
	request.Header.Set("User-Agent", "Pronghorn (asks whose requests this server expects)")
	request.Header.Set("Accept", "text/plain")
	// By the transport itself: a client would follow redirects.
	response, err := transport.RoundTrip(request)
	answer.Remote, _ = remote.Load().(string)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	answer.Status = response.StatusCode
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	line, _, _ := strings.Cut(string(body), "\n")
	answer.Line = strings.ToValidUTF8(strings.TrimSpace(line), "�")
	return answer, err
}
