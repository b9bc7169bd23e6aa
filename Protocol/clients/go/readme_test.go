package carillon

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the examples into README.md")

const (
	examplesBegin = "<!-- examples -->\n"
	examplesEnd   = "<!-- end of examples -->\n"
)

// TestREADME: the README shows the eight examples as they are.
func TestREADME(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), examplesBegin)
	_, after, ok := strings.Cut(rest, examplesEnd)
	if !ok {
		t.Fatal("README.md has no place for the examples")
	}
	var listed []struct{ Name string }
	readJSON(t, "../testing/examples.json", &listed)
	if len(listed) != 8 {
		t.Errorf("there are %d examples", len(listed))
	}
	shown := ""
	for _, each := range listed {
		source, err := os.ReadFile("examples/" + each.Name + "/main.go")
		if err != nil {
			t.Fatal(err)
		}
		shown += "### " + each.Name + "\n\n```go\n" + string(source) + "```\n\n"
	}
	expected := before + examplesBegin + "\n" + shown + examplesEnd + after
	if *update {
		if err := os.WriteFile("README.md", []byte(expected), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if expected != string(data) {
		t.Error("README.md does not show the examples as they are: run `go test -run README -update`")
	}
}
