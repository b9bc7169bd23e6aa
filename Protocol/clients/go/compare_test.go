package carillon

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// compare compares a result with `expect` of the vector.
func (p *player) compare(found result, action object) error {
	expect, _ := action["expect"].(object)
	if pattern, ok := expect["error"].(object); ok {
		return compareError(found.err, pattern)
	}
	if expect["end"] == true {
		if found.err != io.EOF {
			return fmt.Errorf("the end was expected, not %v, %v", found.value, found.err)
		}
		return nil
	}
	if found.err != nil {
		return fmt.Errorf("success was expected, %w", found.err)
	}
	for kind, pattern := range expect {
		if element := elementKind(found.value); element != "" && element != kind {
			return fmt.Errorf("%s was expected, not %s", kind, element)
		}
		if kind == "new_history" {
			continue
		}
		if err := compareFields(found.value, pattern.(object)); err != nil {
			return err
		}
	}
	return nil
}

// elementKind returns the name that vectors give to an element of an event stream; "" for another value.
func elementKind(value any) string {
	switch value.(type) {
	case *Event:
		return "event"
	case *Gap:
		return "gap"
	case *NewHistory:
		return "new_history"
	default:
		return ""
	}
}

// compareFields compares the fields that are named.
func compareFields(found any, fields object) error {
	value := reflect.ValueOf(found).Elem()
	expected := reflect.New(value.Type()).Elem()
	if err := fill(expected, fields); err != nil {
		return err
	}
	for name := range fields {
		a, _, _ := fieldOf(value, name)
		b, _, _ := fieldOf(expected, name)
		if !equal(a, b) {
			return fmt.Errorf("%s is %v, not %v", name, a, b)
		}
	}
	return nil
}

func compareError(err error, pattern object) error {
	var e *Error
	if !errors.As(err, &e) {
		return fmt.Errorf("the error %v was expected, not %v", pattern["code"], err)
	}
	values := object{"code": e.Code, "number": e.Number, "effect": e.Effect, "scope": e.Scope, "field": nil,
		"retry_after_ms": nil, "item": nil, "limit": nil, "column": nil, "key": nil, "attempts": e.Attempts,
		"causes": len(e.Causes), "is_not_executed": IsNotExecuted(err), "is_safe_to_retry": IsSafeToRetry(err),
		"is_transient": IsTransient(err)}
	if e.RetryAfter != Never {
		values["retry_after_ms"] = e.RetryAfter.Milliseconds()
	}
	if e.Field != "" {
		values["field"] = e.Field
	}
	if e.Key != (Key{}) {
		values["key"] = hex.EncodeToString(e.Key[:])
	}
	if e.Item != nil {
		values["item"] = *e.Item
	}
	if e.Limit != nil {
		values["limit"] = *e.Limit
	}
	if e.Column != nil {
		values["column"] = *e.Column
	}
	if !errors.Is(err, e.Code) {
		return errors.New("errors.Is does not know the code")
	}
	for name, expected := range pattern {
		found, ok := values[name]
		if !ok || fmt.Sprint(found) != fmt.Sprint(expected) {
			return fmt.Errorf("%s of the error is %v, not %v: %w", name, found, expected, err)
		}
	}
	return nil
}
