package main

import (
	"bytes"
	"fmt"
	"log"
)

// goTypes are the types of fields of requests. A tagged field is a pointer if its type has no nil.
var goTypes = map[string]string{"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "uuid": "Key",
	"str": "string", "topic": "string", "bytes": "[]byte", "token": "[]byte", "device": "DeviceReference"}

// repetitions are the rules by the class of a request (CONTRACT.md, RET-2). Other classes, and requests that are
// special, have rules written by hand.
var repetitions = map[string]string{
	"read":       "repetition{isReadOnly: true, isRepeatable: true}",
	"state":      "repetition{isRepeatable: true}",
	"always":     "repetition{isRepeatable: true}",
	"connection": "repetition{}",
	"never":      "repetition{}",
}

var isSpecial = map[string]bool{"update_message": true, "update_group": true}

func requestType(f field) string {
	switch {
	case f.kind.list != nil && f.kind.list.fields != nil:
		return "[]" + lowerFirst(goName(f.name)) + "Item"
	case f.kind.list != nil:
		return "[]" + goTypes[f.kind.list.word]
	case f.tag != 0 && goTypes[f.kind.word][0] != '[':
		return "*" + goTypes[f.kind.word]
	default:
		return goTypes[f.kind.word]
	}
}

// writeRequest writes the type of a request and how it is encoded.
func writeRequest(code *bytes.Buffer, m message, items map[string]bool) {
	all := append(append([]field(nil), m.Request.Fixed...), m.Request.Tags...)
	for _, each := range all {
		writeItem(code, each, items)
	}
	name := lowerFirst(goName(m.Name)) + "Request"
	fmt.Fprintf(code, "type %s struct {\n", name)
	for _, each := range all {
		fmt.Fprintf(code, "%s %s\n", goName(each.name), requestType(each))
	}
	fmt.Fprintf(code, "}\n\nfunc (*%s) opcode() uint16 { return opcode%s }\n", name, goName(m.Name))
	if rule := repetitions[m.Repeat]; rule != "" && !isSpecial[m.Name] {
		fmt.Fprintf(code, "func (*%s) repetition() repetition { return %s }\n", name, rule)
	}
	// prepare calls no method of an interface, so that the request need not be allocated.
	fmt.Fprintf(code, "\nfunc (m *%s) prepare() *pendingCall {\np := newCall()\n", name)
	fmt.Fprintf(code, "w := p.encoder(opcode%s)\nm.write(&w)\n", goName(m.Name))
	code.WriteString("p.encoded(&w, m.repetition())\nreturn p\n}\n\n")
	fmt.Fprintf(code, "func (m *%s) write(w *writer) {\n", name)
	for _, each := range m.Request.Fixed {
		writeValue(code, each.name, "m."+goName(each.name), each.kind)
	}
	code.WriteString("w.endFixed()\n")
	for _, each := range m.Request.Tags {
		value := "m." + goName(each.name)
		fmt.Fprintf(code, "if %s != nil {\nstart := w.tag(%d)\n", value, each.tag)
		switch each.kind.word {
		case "str", "topic":
			fmt.Fprintf(code, "w.rawText(%q, *%s)\n", each.name, value)
		case "bytes":
			fmt.Fprintf(code, "w.data = append(w.data, %s...)\n", value)
		case "token":
			fmt.Fprintf(code, "w.rawToken(%q, %s)\n", each.name, value)
		case "":
			writeValue(code, each.name, value, each.kind)
		default:
			writeValue(code, each.name, "*"+value, each.kind)
		}
		code.WriteString("w.endTag(start)\n}\n")
	}
	code.WriteString("}\n\n")
}

// writeItem writes the type of the items of a list; lists of one name have the same items in all requests.
func writeItem(code *bytes.Buffer, f field, items map[string]bool) {
	if f.kind.list == nil || f.kind.list.fields == nil || items[f.name] {
		return
	}
	items[f.name] = true
	fmt.Fprintf(code, "type %sItem struct {\n", lowerFirst(goName(f.name)))
	for _, each := range f.kind.list.fields {
		fmt.Fprintf(code, "%s %s\n", goName(each.name), goTypes[each.kind.word])
	}
	code.WriteString("}\n\n")
}

func writeValue(code *bytes.Buffer, field, value string, k kind) {
	switch {
	case k.list != nil:
		fmt.Fprintf(code, "w.u32(uint32(len(%s)))\nfor index := range %s {\n", value, value)
		writeValue(code, field, value+"[index]", *k.list)
		code.WriteString("}\n")
	case k.fields != nil:
		for _, each := range k.fields {
			writeValue(code, field, value+"."+goName(each.name), each.kind)
		}
	case k.word == "str" || k.word == "topic":
		fmt.Fprintf(code, "w.str(%q, %s)\n", field, value)
	case k.word == "bytes" || k.word == "token" || k.word == "device":
		fmt.Fprintf(code, "w.%s(%q, %s)\n", k.word, field, value)
	case goTypes[k.word] != "":
		fmt.Fprintf(code, "w.%s(%s)\n", k.word, value)
	default:
		log.Fatalf("%s has a type that is not known", field)
	}
}
