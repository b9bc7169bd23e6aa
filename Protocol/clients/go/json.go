package carillon

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const maximumDepth = 32

// appendJSON appends a value in the form of Payloads.md, section 4. The depth of the outermost object is 1. A fault
// names the path.
func appendJSON(data []byte, value any, path string, depth int) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(data, "null"...), nil
	case bool:
		return strconv.AppendBool(data, v), nil
	case string:
		return appendText(data, v, path)
	case float64:
		return appendDouble(data, v, path)
	case json.Number:
		return appendNumber(data, v, path)
	case map[string]any:
		return appendObject(data, v, path, depth)
	case json.Marshaler:
		return appendMarshalled(data, v, path, depth)
	}
	return appendReflected(data, value, path, depth)
}

// appendReflected appends a value whose type appendJSON does not name: a kind of number, a list, a map of another type.
func appendReflected(data []byte, value any, path string, depth int) ([]byte, error) {
	reflected := reflect.ValueOf(value)
	switch reflected.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(data, reflected.Bool()), nil
	case reflect.String:
		return appendText(data, reflected.String(), path)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(data, reflected.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if number := reflected.Uint(); number > math.MaxInt64 {
			return appendDouble(data, float64(number), path)
		}
		return strconv.AppendUint(data, reflected.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		return appendDouble(data, reflected.Float(), path)
	case reflect.Slice, reflect.Array:
		if reflected.Type().Elem().Kind() != reflect.Uint8 {
			return appendList(data, reflected, path, depth)
		}
	case reflect.Map:
		if reflected.Type().Key().Kind() == reflect.String {
			object := make(map[string]any, reflected.Len())
			for _, key := range reflected.MapKeys() {
				object[key.String()] = reflected.MapIndex(key).Interface()
			}
			return appendObject(data, object, path, depth)
		}
	}
	return appendMarshalled(data, value, path, depth)
}

// appendMarshalled takes what encoding/json makes of a value.
func appendMarshalled(data []byte, value any, path string, depth int) ([]byte, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, invalid(path, "%s cannot be written as JSON", path)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, invalid(path, "%s cannot be written as JSON", path)
	}
	return appendJSON(data, decoded, path, depth)
}

func appendObject(data []byte, object map[string]any, path string, depth int) ([]byte, error) {
	if depth > maximumDepth {
		return nil, invalid(path, "%s is nested too deep", path)
	}
	names := make([]string, 0, len(object))
	for name := range object {
		if !utf8.ValidString(name) {
			return nil, invalid(path, "%s has a name that is not UTF-8", path)
		}
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return isBefore(names[i], names[j]) })
	data = append(data, '{')
	for index, name := range names {
		if index > 0 {
			data = append(data, ',')
		}
		var err error
		if data, err = appendText(data, name, path); err != nil {
			return nil, err
		}
		data = append(data, ':')
		if data, err = appendJSON(data, object[name], path+"."+name, depth+1); err != nil {
			return nil, err
		}
	}
	return append(data, '}'), nil
}

// isBefore compares names by their UTF-16 code units.
func isBefore(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for index := 0; index < len(left) && index < len(right); index++ {
		if left[index] != right[index] {
			return left[index] < right[index]
		}
	}
	return len(left) < len(right)
}

func appendList(data []byte, list reflect.Value, path string, depth int) ([]byte, error) {
	if depth > maximumDepth {
		return nil, invalid(path, "%s is nested too deep", path)
	}
	data = append(data, '[')
	for index := 0; index < list.Len(); index++ {
		if index > 0 {
			data = append(data, ',')
		}
		var err error
		if data, err = appendJSON(data, list.Index(index).Interface(), path, depth+1); err != nil {
			return nil, err
		}
	}
	return append(data, ']'), nil
}

const hexDigits = "0123456789abcdef"

func appendText(data []byte, text, path string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, invalid(path, "%s is not UTF-8", path)
	}
	data = append(data, '"')
	for index := 0; index < len(text); index++ {
		each := text[index]
		if short := strings.IndexByte("\"\\\b\f\n\r\t", each); short >= 0 {
			data = append(data, '\\', `"\bfnrt`[short])
		} else if each < 0x20 {
			data = append(data, '\\', 'u', '0', '0', hexDigits[each>>4], hexDigits[each&15])
		} else {
			data = append(data, each)
		}
	}
	return append(data, '"'), nil
}

// appendNumber appends a number of a JSON text: whole numbers of 64 bits with all digits, others as doubles.
func appendNumber(data []byte, number json.Number, path string) ([]byte, error) {
	if whole, err := number.Int64(); err == nil {
		return strconv.AppendInt(data, whole, 10), nil
	}
	double, err := number.Float64()
	if err != nil {
		return nil, invalid(path, "%s is not a number", path)
	}
	return appendDouble(data, double, path)
}

// appendDouble appends a double in ECMAScript's form.
func appendDouble(data []byte, number float64, path string) ([]byte, error) {
	switch size := math.Abs(number); {
	case math.IsNaN(number) || math.IsInf(number, 0):
		return nil, invalid(path, "%s is not a finite number", path)
	case number == 0:
		return append(data, '0'), nil
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(data, number, 'f', -1, 64), nil
	default:
		text := strconv.FormatFloat(number, 'e', -1, 64)
		// An exponent has no leading zero: 1e-07 is 1e-7.
		if end := len(text) - 2; text[end] == '0' && (text[end-1] == '-' || text[end-1] == '+') {
			text = text[:end] + text[end+1:]
		}
		return append(data, text...), nil
	}
}
