package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"log"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// goField is a field of an answer: its name and type in Go, and the unit of a duration.
type goField struct{ name, goType, unit string }

// parseStructs reads the structs of the package by name, and in each its fields by their names in layouts.json. The tag
// `wire:"name"` gives a field another name than its own; `wire:"-"` leaves it out.
func parseStructs(folder string) (map[string]map[string]goField, error) {
	isSource := func(info os.FileInfo) bool {
		return info.Name() != outputFile && !strings.HasSuffix(info.Name(), "_test.go")
	}
	packages, err := parser.ParseDir(token.NewFileSet(), folder, isSource, 0)
	if err != nil {
		return nil, err
	}
	structs := map[string]map[string]goField{}
	embedded := map[string][]string{}
	for _, file := range packages["carillon"].Files {
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok {
				if found, ok := spec.Type.(*ast.StructType); ok {
					structs[spec.Name.Name], embedded[spec.Name.Name] = fieldsOf(found)
				}
			}
			return true
		})
	}
	for name, others := range embedded {
		for _, other := range others {
			for field, value := range structs[other] {
				structs[name][field] = value
			}
		}
	}
	return structs, nil
}

func fieldsOf(found *ast.StructType) (fields map[string]goField, embedded []string) {
	fields = map[string]goField{}
	for _, each := range found.Fields.List {
		var goType bytes.Buffer
		_ = printer.Fprint(&goType, token.NewFileSet(), each.Type)
		wire, unit := "", ""
		if each.Tag != nil {
			text, _ := strconv.Unquote(each.Tag.Value)
			wire, unit, _ = strings.Cut(reflect.StructTag(text).Get("wire"), ",")
		}
		if len(each.Names) == 0 {
			embedded = append(embedded, goType.String())
		}
		for _, name := range each.Names {
			key := wire
			if key == "" {
				key = "." + name.Name // by its own name, see writeAnswer
			}
			if unit == "" {
				unit = key[strings.LastIndex(key, "_")+1:]
			}
			fields[key] = goField{name: name.Name, goType: goType.String(), unit: unit}
		}
	}
	return fields, embedded
}

// minimumDeviceBytes is the smallest size of an answer to LOOKUP, the only message within another one.
const minimumDeviceBytes = 29

// answerWriter writes how one answer is decoded.
type answerWriter struct {
	code    *bytes.Buffer
	structs map[string]map[string]goField
}

// writeAnswer writes how an answer is decoded, once for each type.
func writeAnswer(
	code *bytes.Buffer, structs map[string]map[string]goField, written map[string]bool, name string, l layout,
) {
	if name == "" || structs[name] == nil {
		log.Fatalf("there is no type for an answer: %q", name)
	}
	if written[name] {
		return
	}
	written[name] = true
	a := answerWriter{code: code, structs: structs}
	fmt.Fprintf(code, "func (m *%s) read(r *reader) {\n", name)
	for _, each := range l.Fixed {
		a.value("m", name, each, "r", false)
	}
	code.WriteString("r.beginTags()\nfor {\n")
	if len(l.Tags) == 0 {
		code.WriteString("if _, _, ok := r.tag(); !ok {\nreturn\n}\n}\n}\n\n")
		return
	}
	code.WriteString("tag, value, ok := r.tag()\nif !ok {\nreturn\n}\nswitch tag {\n")
	for _, each := range l.Tags {
		fmt.Fprintf(code, "case %d:\n", each.tag)
		a.value("m", name, each, "value", true)
		code.WriteString("r.endTag(&value)\n")
	}
	code.WriteString("}\n}\n}\n\n")
}

func (a *answerWriter) field(structName string, f field) goField {
	fields := a.structs[structName]
	if found, ok := fields[f.name]; ok {
		return found
	}
	found, ok := fields["."+goName(f.name)]
	if !ok {
		log.Fatalf("%s has no field for %s", structName, f.name)
	}
	return found
}

// value writes how a field of a struct is read from a reader. A text of a tag has no length of its own.
func (a *answerWriter) value(into, structName string, f field, from string, isTag bool) {
	found := a.field(structName, f)
	target := into + "." + found.name
	switch {
	case f.kind.list != nil && strings.HasPrefix(found.goType, "map["):
		a.dictionary(target, found, f, from)
	case f.kind.list != nil:
		a.list(target, found, f, from)
	case strings.HasPrefix(found.goType, "*"):
		found.goType = found.goType[1:]
		fmt.Fprintf(a.code, "found := %s\n%s = &found\n", a.scalar(found, f.kind.word, from, isTag), target)
	default:
		fmt.Fprintf(a.code, "%s = %s\n", target, a.scalar(found, f.kind.word, from, isTag))
	}
}

// dictionary writes how a list of keys and values becomes a map.
func (a *answerWriter) dictionary(target string, found goField, f field, from string) {
	fmt.Fprintf(a.code, "if count := %s.count(%d); count > 0 {\n%s = make(%s, count)\n", from,
		minimumBytes(*f.kind.list), target, found.goType)
	fmt.Fprintf(a.code, "for ; count > 0; count-- {\nkey := %s.str()\n%s[key] = %s.str()\n}\n}\n", from, target, from)
}

func (a *answerWriter) list(target string, found goField, f field, from string) {
	item := strings.TrimPrefix(found.goType, "[]")
	itemBytes := minimumBytes(*f.kind.list)
	if a.structs[item] != nil && f.kind.list.word == "bytes" {
		itemBytes += minimumDeviceBytes
	}
	fmt.Fprintf(a.code, "if count := %s.count(%d); count > 0 {\n%s = make(%s, count)\nfor index := range %s {\n", from,
		itemBytes, target, found.goType, target)
	element := target + "[index]"
	switch {
	case f.kind.list.fields != nil:
		fmt.Fprintf(a.code, "item := &%s\n", element)
		for _, each := range f.kind.list.fields {
			a.value("item", item, each, from, false)
		}
	case f.kind.list.word == "bytes" && a.structs[item] != nil:
		fmt.Fprintf(a.code, "if !decode(%s.take(int(%s.u32())), &%s) {\n%s.fail()\n}\n", from, from, element, from)
	default:
		found.goType = item
		fmt.Fprintf(a.code, "%s = %s\n", element, a.scalar(found, f.kind.list.word, from, false))
	}
	a.code.WriteString("}\n}\n")
}

var units = map[string]string{"ms": "time.Millisecond", "s": "time.Second", "micros": "time.Microsecond"}

// scalar returns the expression that reads one value.
func (a *answerWriter) scalar(found goField, word, from string, isTag bool) string {
	if word == "topic" {
		word = "str"
	}
	if isTag {
		rest := fmt.Sprintf("len(%s.data)", from)
		switch word {
		case "str":
			return fmt.Sprintf("%s.rawText(%s)", from, rest)
		case "bytes":
			return fmt.Sprintf("%s.copied(%s)", from, rest)
		case "token":
			return fmt.Sprintf("%s.rawToken(%s)", from, rest)
		}
	}
	read := fmt.Sprintf("%s.%s()", from, word)
	switch {
	case found.goType == goTypes[word]:
		return read
	case found.goType == "bool" && word == "u8":
		return from + ".flag()"
	case found.goType == "time.Time" && word == "u64":
		return from + ".time()"
	case found.goType == "time.Duration":
		return fmt.Sprintf("durationOf(uint64(%s), %s)", read, units[found.unit])
	default:
		return fmt.Sprintf("%s(%s)", found.goType, read)
	}
}

// minimumBytes returns the smallest size of a value.
func minimumBytes(k kind) int {
	sizes := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8, "uuid": 16, "str": 2, "topic": 2, "bytes": 4,
		"token": 2, "device": 5}
	if k.list != nil {
		return 4
	}
	total := sizes[k.word]
	for _, each := range k.fields {
		total += minimumBytes(each.kind)
	}
	return total
}
