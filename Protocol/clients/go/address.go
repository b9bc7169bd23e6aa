package carillon

import (
	"net"
	"strconv"
	"strings"
)

const maximumAddresses = 32

// address is a server: host and port, or the path of a Unix socket.
type address struct {
	text, host, port, path string
}

func parseAddresses(texts []string) ([]address, error) {
	var found []address
	for _, each := range strings.Split(strings.Join(texts, ","), ",") {
		one, err := parseAddress(strings.TrimSpace(each))
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	if len(found) > maximumAddresses {
		return nil, invalid("addresses", "there are more than %d addresses", maximumAddresses)
	}
	return found, nil
}

func parseAddress(text string) (address, error) {
	if strings.HasPrefix(text, "unix:") && len(text) > len("unix:") {
		return address{text: text, path: text[len("unix:"):]}, nil
	}
	host, port, err := net.SplitHostPort(text)
	number, faulty := strconv.ParseUint(port, 10, 16)
	if err != nil || faulty != nil || host == "" || number == 0 || strings.HasPrefix(text, "unix:") {
		return address{}, invalid("addresses", "%q is not host:port, [v6]:port or unix:path", text)
	}
	return address{text: text, host: host, port: port}, nil
}

func (a address) ip() net.IP {
	host, _, _ := strings.Cut(a.host, "%")
	return net.ParseIP(host)
}

func (a address) isLiteral() bool { return a.ip() != nil }

// isLoopback is true for localhost and literal loopback addresses.
func (a address) isLoopback() bool {
	ip := a.ip()
	return a.host == "localhost" || ip != nil && ip.IsLoopback()
}
