package carillon

import "os"

const defaultAddress = "127.0.0.1:7474"

// FromEnvironment takes the options from the environment: CARILLON_SERVER (addresses; 127.0.0.1:7474 if missing),
// CARILLON_API_KEY_FILE, CARILLON_API_KEY, CARILLON_APP (see Client.DefaultApp), CARILLON_CA_FILE,
// CARILLON_CERTIFICATE_FILE, CARILLON_CERTIFICATE_KEY_FILE and CARILLON_SECURITY. Other options override it. An empty
// variable counts as missing.
func FromEnvironment() Option {
	return Option{isEnvironment: true, apply: func(s *settings) error {
		s.addresses, _ = parseAddresses([]string{defaultAddress})
		s.defaultApp = os.Getenv("CARILLON_APP")
		for _, each := range variables() {
			value := os.Getenv(each.name)
			if value == "" {
				continue
			}
			if err := each.option(value).apply(s); err != nil {
				return invalid(each.name, "%s: %s", each.name, each.fault)
			}
		}
		if (s.certificate == nil) != (s.certificateKey == nil) {
			name := "CARILLON_CERTIFICATE_KEY_FILE"
			if s.certificateKey != nil {
				name = "CARILLON_CERTIFICATE_FILE"
			}
			return invalid(name, "a client certificate needs its key")
		}
		return nil
	}}
}

// variable is a variable, the option that it stands for, and what is wrong with a value that cannot be used.
type variable struct {
	name   string
	option func(string) Option
	fault  string
}

func variables() []variable {
	return []variable{
		{"CARILLON_SERVER", func(v string) Option { return WithAddresses(v) }, "it is a list of host:port, with commas"},
		// The file comes before the key: it is applied later.
		{"CARILLON_API_KEY", WithAPIKey, "a key has 1 to 256 bytes"},
		{"CARILLON_API_KEY_FILE", WithAPIKeyFile, "it is the path of a file"},
		{"CARILLON_CA_FILE", WithCAFile, "it is the path of a file"},
		{"CARILLON_CERTIFICATE_FILE", func(v string) Option {
			return option(func(s *settings) error { s.certificate = fileSource(v); return nil })
		}, "it is the path of a file"},
		{"CARILLON_CERTIFICATE_KEY_FILE", func(v string) Option {
			return option(func(s *settings) error { s.certificateKey = fileSource(v); return nil })
		}, "it is the path of a file"},
		{"CARILLON_SECURITY", func(v string) Option { return WithSecurity(Security(v)) },
			"it is auto, tls, plaintext or plaintext_anywhere"},
	}
}
