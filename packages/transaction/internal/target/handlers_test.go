package target_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pronghorn/transaction/internal/target"
)

func TestHandler(t *testing.T) {
	server := httptest.NewServer(target.Handler("abc"))
	defer server.Close()
	for _, c := range []struct {
		method, path, body string
		status             int
		contains           string
		length             int
	}{
		{"GET", "/ping", "", 200, "pong", 5},
		{"GET", "/json", "", 200, `"time"`, 0},
		{"GET", "/data?size=100000", "", 200, "", 100_000},
		{"GET", "/download?size=0", "", 200, "", 0},
		{"GET", "/data", "", 400, "?size=: expected a whole number", 0},
		{"GET", "/data?size=-1", "", 400, "from 0 to", 0},
		{"GET", "/data?size=99999999999", "", 400, "from 0 to", 0},
		{"GET", "/delay?ms=20", "", 200, "20", 0},
		{"GET", "/delay?ms=x", "", 400, "?ms=x", 0},
		{"POST", "/upload", "hello", 200, `"received":5`, 0},
		{"GET", "/upload", "", 405, "", 0},
		{"GET", "/.well-known/pronghorn", "", 200, "abc", 4},
		{"GET", "/nothing", "", 404, "", 0},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != c.status || !strings.Contains(string(body), c.contains) || (c.length > 0 && len(body) != c.length) {
			t.Errorf("%s %s: %d, %d bytes, %.60q", c.method, c.path, response.StatusCode, len(body), body)
		}
		if strings.HasPrefix(c.path, "/delay?ms=20") && time.Since(begun) < 20*time.Millisecond {
			t.Errorf("%s answered after %v", c.path, time.Since(begun))
		}
	}
}
