package carillon

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeServer is fake_server.py, which plays the servers of one vector.
type fakeServer struct {
	t         *testing.T
	process   *exec.Cmd
	input     io.WriteCloser
	addresses map[string]string
	files     map[string]string
	all       []string

	mu       sync.Mutex
	changed  *sync.Cond
	reached  map[string]bool
	failed   bool
	ended    bool
	failures []string
}

func startFakeServer(t *testing.T, name string) *fakeServer {
	process := exec.Command("python3", "-B", "../testing/fake_server.py", name)
	s := &fakeServer{t: t, process: process, reached: map[string]bool{}}
	s.changed = sync.NewCond(&s.mu)
	var err error
	if s.input, err = s.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	var first struct {
		Listening map[string]string
		Files     map[string]string
	}
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil {
		t.Fatalf("the fake server said %q", lines.Text())
	}
	s.addresses, s.files = first.Listening, first.Files
	s.all = inOrder(lines.Text(), first.Listening)
	go s.read(lines)
	return s
}

// inOrder returns the addresses in the order of the line, which is that of the vector.
func inOrder(line string, addresses map[string]string) []string {
	found := []string{}
	decoder := json.NewDecoder(strings.NewReader(line))
	for {
		token, err := decoder.Token()
		if err != nil {
			return found
		}
		if name, ok := token.(string); ok && addresses[name] != "" {
			found = append(found, addresses[name])
			_, _ = decoder.Token()
		}
	}
}

func (s *fakeServer) address(name string) string {
	if found, ok := s.addresses[name]; ok {
		return found
	}
	return name
}

func (s *fakeServer) name(address string) string {
	for name, each := range s.addresses {
		if each == address {
			return name
		}
	}
	return address
}

func (s *fakeServer) read(lines *bufio.Scanner) {
	for lines.Scan() {
		var line struct {
			Reached string
			Failed  object
			Verdict *struct {
				OK       bool
				Failures []object
			}
		}
		_ = json.Unmarshal(lines.Bytes(), &line)
		s.mu.Lock()
		if line.Reached != "" {
			s.reached[line.Reached] = true
		}
		s.failed = s.failed || line.Failed != nil
		if line.Verdict != nil {
			for _, each := range line.Verdict.Failures {
				s.failures = append(s.failures, fmt.Sprint("server: ", each))
			}
			if !line.Verdict.OK && len(s.failures) == 0 {
				s.failures = []string{"server: not ok"}
			}
		}
		s.changed.Broadcast()
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.ended = true
	s.changed.Broadcast()
	s.mu.Unlock()
}

func (s *fakeServer) command(line string) { _, _ = io.WriteString(s.input, line+"\n") }

func (s *fakeServer) await(name string) error {
	alarm := time.AfterFunc(waitLimit, func() {
		s.mu.Lock()
		s.failed = true
		s.changed.Broadcast()
		s.mu.Unlock()
	})
	defer alarm.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.reached[name] && !s.failed && !s.ended {
		s.changed.Wait()
	}
	if !s.reached[name] {
		return fmt.Errorf("the server did not reach %s", name)
	}
	return nil
}

// verdict ends the play and returns what was wrong.
func (s *fakeServer) verdict() []string {
	s.command("verdict")
	_ = s.input.Close()
	s.mu.Lock()
	for !s.ended {
		s.changed.Wait()
	}
	failures := s.failures
	s.mu.Unlock()
	if err := s.process.Wait(); err != nil && len(failures) == 0 {
		failures = append(failures, "the fake server ended: "+err.Error())
	}
	return failures
}
