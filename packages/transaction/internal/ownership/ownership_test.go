package ownership_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"pronghorn/transaction/internal/client"
	"pronghorn/transaction/internal/ownership"
	"pronghorn/transaction/internal/testserver"
)

func TestServerTellsItsToken(t *testing.T) {
	server, url, authority := testserver.Start(t, nil)
	for _, c := range []struct{ origin, authority, line, err string }{
		{url, authority, "token", ""},
		// What else stands in it is not asked for.
		{url + "/delay?ms=9000", authority, "token", ""},
		{url, "", "", client.ErrTLS},
		{"https://no-such-host.invalid", authority, "", client.ErrDNS},
		{"https://127.0.0.1:9", authority, "", client.ErrRefused},
	} {
		answer, err := ownership.Ask(t.Context(), ownership.Question{Origin: c.origin, Authority: c.authority, TimeoutMs: 60_000})
		if err != nil || answer.Line != c.line || answer.Error != c.err {
			t.Errorf("%s: %+v %v", c.origin, answer, err)
		}
		if c.line != "" && (answer.Remote != server.Address || answer.Status != 200) {
			t.Errorf("%+v, expected 200 of %s", answer, server.Address)
		}
	}
	for _, wrong := range []string{"http://127.0.0.1", "https://", "x"} {
		if answer, err := ownership.Ask(t.Context(), ownership.Question{Origin: wrong, TimeoutMs: 1_000}); err == nil {
			t.Errorf("%s was asked: %+v", wrong, answer)
		}
	}
}

func TestOneRequestIsSentAndLittleIsRead(t *testing.T) {
	var asked atomic.Int64
	how := map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := fmt.Fprint(w, strings.Repeat("x", 1_000)); err != nil {
					return
				}
			}
		},
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drops": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "to")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	}
	for name, handler := range how {
		t.Run(name, func(t *testing.T) {
			_, url, authority := testserver.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				handler(w, r)
			}))
			question := ownership.Question{Origin: url, Authority: authority, TimeoutMs: 60_000}
			if name == "silent" || name == "drops" {
				question.TimeoutMs = 400
			}
			asked.Store(0)
			answer, err := ownership.Ask(t.Context(), question)
			// On a busy machine it may be over before the request has gone out.
			for err == nil && asked.Load() == 0 && question.TimeoutMs < 60_000 {
				question.TimeoutMs *= 2
				answer, err = ownership.Ask(t.Context(), question)
			}
			if err != nil || asked.Load() != 1 {
				t.Errorf("%+v %v, %d requests within %v ms", answer, err, asked.Load(), question.TimeoutMs)
			}
			switch name {
			case "redirect":
				if answer.Status != http.StatusFound || answer.Error != "" {
					t.Errorf("%+v", answer)
				}
			case "endless":
				if len(answer.Line) != 1_000 || answer.Error != "" {
					t.Errorf("%d bytes, %+v", len(answer.Line), answer)
				}
			default:
				if answer.Error != client.ErrTimeout {
					t.Errorf("%+v", answer)
				}
			}
		})
	}
}
