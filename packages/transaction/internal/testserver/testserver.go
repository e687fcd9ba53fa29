// Package testserver starts the built-in server for a test, with a certificate of its own.
package testserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"testing"
	"time"

	"pronghorn/transaction/internal/target"
)

// Certificate makes what servers show, of localhost and 127.0.0.1, and the authority to trust, in PEM.
func Certificate(t *testing.T) (certificate tls.Certificate, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(text)
}

// Start serves a handler, the built-in one where it is nil, until the test ends. It returns https://127.0.0.1:PORT and what to trust.
func Start(t *testing.T, handler http.Handler) (server *target.Server, url, authority string) {
	t.Helper()
	if handler == nil {
		handler = target.Handler("token")
	}
	certificate, authority := Certificate(t)
	server, err := target.Start("127.0.0.1:0", certificate, handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server, "https://" + server.Address, authority
}
