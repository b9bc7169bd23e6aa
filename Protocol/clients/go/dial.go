package carillon

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"
	"time"
)

const (
	applicationProtocol = "carillon/1"
	// fallbackDelay is how long one resolved address can hang before the other family is tried (RFC 8305).
	fallbackDelay = 250 * time.Millisecond
)

// dial opens a connection, TLS included. It resolves the name anew; the context bounds everything.
func dial(ctx context.Context, s *settings, to address) (net.Conn, error) {
	dialer := net.Dialer{FallbackDelay: fallbackDelay}
	if to.path != "" {
		return dialer.DialContext(ctx, "unix", to.path)
	}
	hasTLS := s.hasTLS(to)
	if !hasTLS && s.security != SecurityPlaintextAnywhere {
		dialer.Control = refuseOtherMachines
	}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(to.host, to.port))
	if err != nil || !hasTLS {
		return conn, err
	}
	config, err := tlsConfig(s, to)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

// refuseOtherMachines refuses an address that is not loopback, after resolving and before anything is sent
// (CONTRACT.md, TLS-2).
func refuseOtherMachines(_, resolved string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(resolved)
	if err != nil {
		return err
	}
	if ip := (address{host: host}).ip(); ip == nil || !ip.IsLoopback() {
		return errors.New("plaintext is refused: " + resolved + " is not loopback")
	}
	return nil
}

// tlsConfig reads the files of TLS (TLS-3).
func tlsConfig(s *settings, to address) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{applicationProtocol}, ServerName: to.host}
	if s.serverName != "" {
		config.ServerName = s.serverName
	}
	if s.ca != nil {
		pem, err := s.ca()
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("there is no certificate in the authorities")
		}
	}
	if s.certificate != nil {
		certificate, err := s.certificate()
		if err != nil {
			return nil, err
		}
		key, err := s.certificateKey()
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// dialError makes the error of an attempt to connect.
func dialError(cause error) *Error {
	var known *Error
	if errors.As(cause, &known) {
		return known
	}
	err := failure(ErrCannotConnect, NotExecuted, 0, "%v", cause)
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var certificate x509.CertificateInvalidError
	if errors.As(cause, &authority) || errors.As(cause, &name) || errors.As(cause, &certificate) {
		err = failure(ErrUntrusted, NotExecuted, Never, "the server's certificate is not accepted: %v", cause)
	}
	err.cause = cause
	return err
}
