// Package example has what the examples share: their end.
package example

import (
	"errors"
	"fmt"
	"os"

	"carillon"
)

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
