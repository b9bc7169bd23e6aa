package carillon

import (
	"errors"
	"testing"
)

// expect fails the test if a value is not the expected one; what names the value.
func expect[T comparable](t *testing.T, what string, found, expected T) {
	t.Helper()
	if found != expected {
		t.Errorf("%s is %v, not %v", what, found, expected)
	}
}

// expectError fails the test if errors.Is does not find the expected error in the error.
func expectError(t *testing.T, err, expected error) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Errorf("the error is %v, not %v", err, expected)
	}
}

// errorIn returns the *Error that an error is, and ends the test if it is another one or nil.
func errorIn(t *testing.T, err error) *Error {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) {
		t.Fatalf("%v is no *Error", err)
	}
	return failed
}
