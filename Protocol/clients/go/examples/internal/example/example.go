// Package example has what the examples share: their arguments and their end.
package example

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"carillon"
)

// Arguments returns the arguments of the command line; it ends the program if they are not as many as the names.
func Arguments(names ...string) []string {
	if len(os.Args)-1 != len(names) {
		fmt.Fprintln(os.Stderr, "usage:", os.Args[0], strings.Join(names, " "))
		os.Exit(2)
	}
	return os.Args[1:]
}

// Exit ends an example: with the code, the effect and the field of its error if there is one.
func Exit(err error) {
	var failed *carillon.Error
	switch {
	case err == nil:
		return
	case errors.As(err, &failed):
		fmt.Fprintln(os.Stderr, failed.Code, failed.Effect.String()+":", failed.Field)
	default:
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}
