package carillon

import (
	"bytes"
	"context"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is the version of this package, which is released with the server. It knows version 1.0 of the protocol and
// works with every 1.x server.
const Version = "1.0.0-beta.1"

const maximumSoftwareBytes = 64

// Security says where TLS is used.
type Security string

// The choices of WithSecurity.
const (
	// SecurityAuto is plaintext for localhost and loopback addresses if neither authorities, a certificate nor a server
	// name are given, and TLS for everything else.
	SecurityAuto Security = "auto"
	// SecurityTLS is TLS everywhere but on Unix sockets.
	SecurityTLS Security = "tls"
	// SecurityPlaintext is plaintext, and refuses every address that is not loopback.
	SecurityPlaintext Security = "plaintext"
	// SecurityPlaintextAnywhere is plaintext to every address: keys and tokens can be read on the way.
	SecurityPlaintextAnywhere Security = "plaintext_anywhere"
)

// Option is an option of New and Connect.
type Option struct {
	apply func(*settings) error
	// isEnvironment: the option is applied before the others, which override it.
	isEnvironment bool
}

// settings are all options, with the defaults of the contract.
type settings struct {
	addresses  []address
	isShuffled bool
	key        func(context.Context) ([]byte, error)
	security   Security
	ca         source
	// certificate and certificateKey are PEM.
	certificate, certificateKey source
	serverName                  string
	software                    string
	defaultApp                  string

	requestTimeout, connectTimeout, probeAfter, pingTimeout time.Duration
	backoff, maximumBackoff, refusalPause, drainTimeout     time.Duration

	maximumAttempts, maximumInFlight, maximumWaitingCalls, maximumMemoryBytes int
	maximumReceiveBytes                                                       uint32

	hooks Hooks
}

// source returns a PEM text, which can come from a file. It is a function, so that no printed form has the text.
type source func() ([]byte, error)

func fileSource(path string) source { return func() ([]byte, error) { return os.ReadFile(path) } }

func textSource(text []byte) source {
	copied := append([]byte{}, text...)
	return func() ([]byte, error) { return copied, nil }
}

func defaultSettings() settings {
	return settings{
		key:      func(context.Context) ([]byte, error) { return nil, nil },
		security: SecurityAuto, software: "carillon-go/" + Version,
		requestTimeout: 10 * time.Second, connectTimeout: 5 * time.Second, probeAfter: 3 * time.Second,
		pingTimeout: 5 * time.Second, backoff: 100 * time.Millisecond, maximumBackoff: 5 * time.Second,
		refusalPause: time.Minute, drainTimeout: 5 * time.Second,
		maximumAttempts: 6, maximumInFlight: 1024, maximumWaitingCalls: 10_000, maximumMemoryBytes: 64 << 20,
		maximumReceiveBytes: 1 << 20,
	}
}

func settingsOf(options []Option) (settings, error) {
	s := defaultSettings()
	for _, isEnvironment := range []bool{true, false} {
		for _, each := range options {
			if each.isEnvironment != isEnvironment || each.apply == nil {
				continue
			}
			if err := each.apply(&s); err != nil {
				return s, err
			}
		}
	}
	if len(s.addresses) == 0 {
		return s, invalid("addresses", "there is no address")
	}
	for _, each := range s.addresses {
		if s.security == SecurityPlaintext && each.isLiteral() && !each.isLoopback() {
			return s, invalid("security", "plaintext to %s is refused: it is not loopback", each.text)
		}
	}
	if (s.certificate == nil) != (s.certificateKey == nil) {
		return s, invalid("certificate_file", "a client certificate needs its key")
	}
	return s, nil
}

// hasTLS is true if connections to an address are protected by TLS.
func (s *settings) hasTLS(to address) bool {
	switch {
	case to.path != "" || s.security == SecurityPlaintext || s.security == SecurityPlaintextAnywhere:
		return false
	case s.security == SecurityTLS || s.ca != nil || s.certificate != nil || s.serverName != "":
		return true
	default:
		return !to.isLoopback()
	}
}

func option(apply func(*settings) error) Option { return Option{apply: apply} }

// WithAddresses sets the servers, 1 to 32 of "host:port", "[v6]:port" or "unix:path". One text can have several, with
// commas between them. The client stays with one that works, and goes to the next when it is lost.
func WithAddresses(addresses ...string) Option {
	return option(func(s *settings) (err error) {
		s.addresses, err = parseAddresses(addresses)
		return err
	})
}

// WithShuffledAddresses draws the order of the addresses once, so that many clients share several servers evenly.
func WithShuffledAddresses() Option {
	return option(func(s *settings) error { s.isShuffled = true; return nil })
}

// WithAPIKey sets the key of the client, 1 to 256 bytes.
func WithAPIKey(key string) Option {
	return option(func(s *settings) error {
		if err := checkKey([]byte(key)); err != nil {
			return err
		}
		s.key = func(context.Context) ([]byte, error) { return []byte(key), nil }
		return nil
	})
}

// WithAPIKeyFile reads the key from a file at each connection, so that it can be replaced.
func WithAPIKeyFile(path string) Option {
	return option(func(s *settings) error {
		if path == "" {
			return invalid("api_key_file", "there is no file")
		}
		s.key = func(context.Context) ([]byte, error) {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			data = bytes.TrimSpace(data)
			return data, keyError(data)
		}
		return nil
	})
}

// WithAPIKeyFunc calls a function for the key at each connection; "" is not a key. The context ends with the attempt to
// connect.
func WithAPIKeyFunc(key func(context.Context) (string, error)) Option {
	return option(func(s *settings) error {
		if key == nil {
			return invalid("api_key", "there is no function")
		}
		s.key = func(ctx context.Context) ([]byte, error) {
			found, err := key(ctx)
			if err != nil || found == "" {
				return nil, err
			}
			return []byte(found), keyError([]byte(found))
		}
		return nil
	})
}

func checkKey(key []byte) *Error {
	if len(key) < 1 || len(key) > 256 {
		return invalid("api_key", "a key has 1 to 256 bytes")
	}
	return nil
}

func keyError(key []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return nil
}

// WithSecurity says where TLS is used; SecurityAuto without it. There is no way to skip the verification of a server.
func WithSecurity(security Security) Option {
	return option(func(s *settings) error {
		switch security {
		case SecurityAuto, SecurityTLS, SecurityPlaintext, SecurityPlaintextAnywhere:
			s.security = security
			return nil
		default:
			return invalid("security", "%q is auto, tls, plaintext or plaintext_anywhere", string(security))
		}
	})
}

// WithCAFile trusts the authorities of a PEM file, in place of those of the system. Files are read at each connection.
func WithCAFile(path string) Option {
	return option(func(s *settings) error { s.ca = fileSource(path); return requireText("ca_file", path) })
}

// WithCA trusts the authorities of a PEM text, in place of those of the system.
func WithCA(pem []byte) Option {
	return option(func(s *settings) error {
		s.ca = textSource(pem)
		return requireText("ca", string(pem))
	})
}

// WithCertificateFiles proves the client's identity with a certificate and its private key, both PEM.
func WithCertificateFiles(certificate, key string) Option {
	return option(func(s *settings) error {
		s.certificate, s.certificateKey = fileSource(certificate), fileSource(key)
		if err := requireText("certificate_file", certificate); err != nil {
			return err
		}
		return requireText("certificate_key_file", key)
	})
}

// WithCertificate is WithCertificateFiles with PEM texts.
func WithCertificate(certificate, key []byte) Option {
	return option(func(s *settings) error {
		s.certificate, s.certificateKey = textSource(certificate), textSource(key)
		if err := requireText("certificate", string(certificate)); err != nil {
			return err
		}
		return requireText("certificate_key", string(key))
	})
}

// requireText refuses an empty text.
func requireText(field, value string) error {
	if value == "" {
		return invalid(field, "%s is empty", field)
	}
	return nil
}

// WithServerName is the name that the server's certificate must have; without it, the host of the address.
func WithServerName(name string) Option {
	return option(func(s *settings) error { s.serverName = name; return requireText("server_name", name) })
}

// WithProgramName adds the name of the program to that of this package, for the server's log. The whole is cut to 64
// bytes.
func WithProgramName(name string) Option {
	return option(func(s *settings) error {
		s.software = "carillon-go/" + Version + " " + strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), "")
		for len(s.software) > maximumSoftwareBytes {
			_, size := utf8.DecodeLastRuneInString(s.software)
			s.software = s.software[:len(s.software)-size]
		}
		return nil
	})
}

func duration(field string, value time.Duration, set func(*settings, time.Duration)) Option {
	return option(func(s *settings) error {
		if value <= 0 {
			return invalid(field, "%s must be more than 0", field)
		}
		set(s, value)
		return nil
	})
}

// WithRequestTimeout is the deadline of a call whose context has none: 10 s without it.
func WithRequestTimeout(limit time.Duration) Option {
	return duration("request_timeout", limit, func(s *settings, d time.Duration) { s.requestTimeout = d })
}

// WithConnectTimeout is how long one address has to open a connection: 5 s without it.
func WithConnectTimeout(limit time.Duration) Option {
	return duration("connect_timeout", limit, func(s *settings, d time.Duration) { s.connectTimeout = d })
}

// WithProbeAfter is the silence after which a PING is sent while a request waits: 3 s without it.
func WithProbeAfter(silence time.Duration) Option {
	return duration("probe_after", silence, func(s *settings, d time.Duration) { s.probeAfter = d })
}

// WithPingTimeout is the silence after a PING that ends a connection: 5 s without it.
func WithPingTimeout(silence time.Duration) Option {
	return duration("ping_timeout", silence, func(s *settings, d time.Duration) { s.pingTimeout = d })
}

// WithBackoff is the first random pause between attempts, which doubles, and the longest: 100 ms and 5 s without it.
func WithBackoff(first, longest time.Duration) Option {
	return option(func(s *settings) error {
		if first <= 0 || longest <= 0 {
			return invalid("backoff", "the pauses must be more than 0")
		}
		s.backoff, s.maximumBackoff = first, longest
		return nil
	})
}

// WithRefusalPause is how long an address that has refused the client is not tried again: 60 s without it.
func WithRefusalPause(pause time.Duration) Option {
	return duration("refusal_pause", pause, func(s *settings, d time.Duration) { s.refusalPause = d })
}

// WithDrainTimeout is how long Close waits for calls that are written: 5 s without it.
func WithDrainTimeout(limit time.Duration) Option {
	return duration("drain_timeout", limit, func(s *settings, d time.Duration) { s.drainTimeout = d })
}

func count(field string, value, least int, set func(*settings, int)) Option {
	return option(func(s *settings) error {
		if value < least {
			return invalid(field, "%s must be at least %d", field, least)
		}
		set(s, value)
		return nil
	})
}

// WithMaximumAttempts is how many attempts a call may make: 6 without it, 1 = none is repeated.
func WithMaximumAttempts(attempts int) Option {
	return count("maximum_attempts", attempts, 1, func(s *settings, n int) { s.maximumAttempts = n })
}

// WithMaximumInFlight is how many requests may be outstanding: 1,024 without it. The server has a limit of its own.
func WithMaximumInFlight(requests int) Option {
	return count("maximum_in_flight", requests, 1, func(s *settings, n int) { s.maximumInFlight = n })
}

// WithMaximumWaitingCalls is how many calls may wait for a connection or for room: 10,000 without it.
func WithMaximumWaitingCalls(calls int) Option {
	return count("maximum_waiting_calls", calls, 0, func(s *settings, n int) { s.maximumWaitingCalls = n })
}

// WithMaximumMemoryBytes is how many bytes the requests of all calls may have: 64 MiB without it.
func WithMaximumMemoryBytes(bytes int) Option {
	return count("maximum_memory_bytes", bytes, 1, func(s *settings, n int) { s.maximumMemoryBytes = n })
}

// WithMaximumReceiveBytes is the longest payload that the client accepts: 1 MiB without it, at least 4,096.
func WithMaximumReceiveBytes(bytes int) Option {
	return count("maximum_receive_bytes", bytes, 4096, func(s *settings, n int) { s.maximumReceiveBytes = uint32(n) })
}

// WithHooks lets the program watch calls, retries and connections.
func WithHooks(hooks Hooks) Option {
	return option(func(s *settings) error { s.hooks = hooks; return nil })
}
