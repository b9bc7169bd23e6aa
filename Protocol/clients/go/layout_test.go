package carillon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// This file makes requests and answers of the JSON of the vectors, and reads requests by layouts.json.

const vectorFolder = "../../vectors"

// object is a JSON object whose numbers are json.Number.
type object = map[string]any

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// eachFile calls a function for each file of a folder of vectors; a folder without files fails the test.
func eachFile(t *testing.T, folder string, run func(path string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(vectorFolder, folder, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no vectors in %s", folder)
	}
	for _, each := range paths {
		run(each)
	}
}

func newRequests() map[string]request {
	return map[string]request{
		"hello": &helloRequest{}, "auth": &authRequest{}, "register": &registerRequest{},
		"register_batch": &registerBatchRequest{}, "unregister": &unregisterRequest{}, "lookup": &lookupRequest{},
		"update_device": &updateDeviceRequest{}, "memberships": &membershipsRequest{}, "restore": &restoreRequest{},
		"quarantine": &quarantineRequest{}, "join": &joinRequest{}, "leave": &leaveRequest{}, "switch": &switchRequest{},
		"group_devices": &groupDevicesRequest{}, "groups": &groupsRequest{}, "update_group": &updateGroupRequest{},
		"group_topics": &groupTopicsRequest{}, "subscribe": &subscribeRequest{}, "unsubscribe": &unsubscribeRequest{},
		"topics": &topicsRequest{}, "topic_devices": &topicDevicesRequest{}, "explain": &explainRequest{},
		"send": &sendRequest{}, "message_status": &messageStatusRequest{}, "message_outcomes": &messageOutcomesRequest{},
		"messages": &messagesRequest{}, "update_message": &updateMessageRequest{}, "resend": &resendRequest{},
		"trace": &traceRequest{}, "subscribe_events": &subscribeEventsRequest{}, "event_credit": &eventCreditRequest{},
		"unsubscribe_events": &unsubscribeEventsRequest{}, "forget_subscriber": &forgetSubscriberRequest{},
		"receipts": &receiptsRequest{}, "receipt_devices": &receiptDevicesRequest{}, "statistics": &statisticsRequest{},
		"devices": &devicesRequest{}, "remove_node": &removeNodeRequest{},
		"create_channel": &createChannelRequest{}, "channel": &channelRequest{},
		"channels": &channelsRequest{}, "delete_channel": &deleteChannelRequest{},
	}
}

func newAnswers() map[string]answer {
	return map[string]answer{
		"hello": &ServerInfo{}, "auth": &authAnswer{}, "register": &RegisterResult{},
		"register_batch": &registerBatchAnswer{}, "unregister": &UnregisterResult{}, "lookup": &DeviceRecord{},
		"update_device": &deviceAnswer{},
		"memberships":   &Memberships{}, "restore": &deviceAnswer{}, "quarantine": &DeviceIDPage{}, "join": &JoinResult{},
		"leave": &LeaveResult{}, "switch": &SwitchGroupResult{}, "group_devices": &DeviceIDPage{}, "groups": &GroupPage{},
		"update_group": &countAnswer{}, "group_topics": &GroupTopicPage{}, "subscribe": &SubscribeResult{},
		"unsubscribe": &SubscribeResult{}, "topics": &TopicPage{}, "topic_devices": &DeviceIDPage{},
		"explain": &Explanation{}, "send": &SendResult{}, "message_status": &MessageStatus{},
		"message_outcomes": &OutcomePage{}, "messages": &messagesAnswer{}, "update_message": &updateMessageAnswer{},
		"resend": &SendResult{}, "trace": &Trace{}, "subscribe_events": &subscribedAnswer{}, "event_credit": &emptyAnswer{},
		"unsubscribe_events": &emptyAnswer{}, "forget_subscriber": &forgetAnswer{}, "receipts": &ReceiptResult{},
		"receipt_devices": &DeviceIDPage{}, "statistics": &Statistics{}, "devices": &DevicePage{},
		"create_channel": &createChannelAnswer{}, "channel": &channelAnswer{}, "channels": &ChannelPage{},
		"delete_channel": &deleteChannelAnswer{}, "remove_node": &removeNodeAnswer{},
		"event": &eventFrame{}, "goaway": &goAwayFrame{}, "error": &errorFrame{},
	}
}

// fill sets the fields of a struct to those of a JSON object. An unknown name is an error.
func fill(into reflect.Value, fields object) error {
	for name, value := range fields {
		field, unit, ok := fieldOf(into, name)
		if !ok {
			return fmt.Errorf("%s has no field %s", into.Type(), name)
		}
		if err := set(field, value, unit); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// fieldOf finds a field by the name that it has on the wire, and the unit of a duration.
func fieldOf(into reflect.Value, name string) (reflect.Value, string, bool) {
	unit := name[strings.LastIndex(name, "_")+1:]
	for index := 0; index < into.NumField(); index++ {
		field := into.Type().Field(index)
		if field.Anonymous {
			if found, unit, ok := fieldOf(into.Field(index), name); ok {
				return found, unit, true
			}
			continue
		}
		wire, other, _ := strings.Cut(field.Tag.Get("wire"), ",")
		if other != "" {
			unit = other
		}
		if wire == name || wire == "" && field.Name == camel(name) {
			return into.Field(index), unit, true
		}
	}
	return reflect.Value{}, "", false
}

func camel(name string) string {
	var text strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part == "id" {
			part = "ID"
		} else if part == "ids" {
			part = "IDs"
		}
		text.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return text.String()
}

func numberOfJSON(value any) (uint64, error) {
	return strconv.ParseUint(fmt.Sprint(value), 10, 64)
}

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "micros": time.Microsecond}

func set(into reflect.Value, value any, unit string) error {
	switch into.Interface().(type) {
	case time.Time:
		number, err := numberOfJSON(value)
		into.Set(reflect.ValueOf(timeOf(number)))
		return err
	case time.Duration:
		number, err := numberOfJSON(value)
		into.SetInt(int64(durationOf(number, units[unit])))
		return err
	case Key:
		data, err := hex.DecodeString(value.(string))
		reflect.Copy(into, reflect.ValueOf(data))
		return err
	case DeviceReference:
		device, err := deviceOfJSON(value.(object))
		into.Set(reflect.ValueOf(device))
		return err
	case []byte:
		if items, ok := value.([]any); ok { // a list of u8
			return setList(into, items, unit)
		}
		data, err := hex.DecodeString(value.(string))
		into.SetBytes(data)
		return err
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return set(into.Elem(), value, unit)
	case reflect.String:
		into.SetString(value.(string))
		return nil
	case reflect.Bool:
		number, err := numberOfJSON(value)
		into.SetBool(number != 0)
		return err
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		for _, each := range value.([]any) {
			pair := each.(object)
			into.SetMapIndex(reflect.ValueOf(pair["key"]), reflect.ValueOf(pair["value"]))
		}
		return nil
	case reflect.Slice:
		return setList(into, value.([]any), unit)
	case reflect.Struct:
		if text, ok := value.(string); ok { // a payload within another one
			data, err := hex.DecodeString(text)
			if err == nil && !decode(data, into.Addr().Interface().(answer)) {
				err = fmt.Errorf("the payload %s cannot be read", text)
			}
			return err
		}
		return fill(into, value.(object))
	default:
		number, err := numberOfJSON(value)
		into.SetUint(number)
		return err
	}
}

func setList(into reflect.Value, items []any, unit string) error {
	isRequest := strings.HasSuffix(into.Type().Elem().Name(), "Item") || into.Type().Elem().Name() == "Device"
	if len(items) == 0 && !isRequest {
		into.Set(reflect.MakeSlice(into.Type(), 0, 0))
		return nil
	}
	into.Set(reflect.MakeSlice(into.Type(), len(items), len(items)))
	for index, each := range items {
		if err := set(into.Index(index), each, unit); err != nil {
			return err
		}
	}
	return nil
}

func deviceOfJSON(value object) (DeviceReference, error) {
	if id, ok := value["id"]; ok {
		number, err := numberOfJSON(id)
		return DeviceByID(number), err
	}
	token := value["token"].(object)
	environment, _ := numberOfJSON(token["environment"])
	kind, _ := numberOfJSON(token["kind"])
	data, err := hex.DecodeString(token["token"].(string))
	return DeviceByToken(Environment(environment), TokenKind(kind), data), err
}

// equal compares values; a list or map without elements equals nil.
func equal(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		if _, ok := a.Interface().(time.Time); ok {
			return a.Interface().(time.Time).Equal(b.Interface().(time.Time))
		}
		for index := 0; index < a.NumField(); index++ {
			if a.Type().Field(index).IsExported() && !equal(a.Field(index), b.Field(index)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for index := 0; index < a.Len(); index++ {
			if !equal(a.Index(index), b.Index(index)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return a.Len() == 0 && b.Len() == 0 || reflect.DeepEqual(a.Interface(), b.Interface())
	default:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
}

// requestOf makes a request of JSON.
func requestOf(name string, fields object) (request, error) {
	message := newRequests()[name]
	if message == nil {
		return nil, fmt.Errorf("there is no request %s", name)
	}
	known := object{}
	for field, value := range fields {
		if field != "deadline_ms" {
			known[field] = value
		}
	}
	return message, fill(reflect.ValueOf(message).Elem(), known)
}

// layoutFields reads a request by layouts.json with the reader of this package; false if it is malformed.
func layoutFields(layout object, payload []byte) (object, bool) {
	r := &reader{data: payload}
	fields := object{}
	for _, each := range layout["fixed"].([]any) {
		field := each.([]any)
		fields[field[0].(string)] = readKind(field[1], r, false)
	}
	known := map[uint32][]any{2: {nil, "deadline_ms", "u32"}}
	tags, _ := layout["tags"].([]any)
	for _, each := range tags {
		number, _ := numberOfJSON(each.([]any)[0])
		known[uint32(number)] = each.([]any)
	}
	r.beginTags()
	for {
		tag, value, ok := r.tag()
		if !ok {
			return fields, !r.isBad && len(r.data) == 0
		}
		if field := known[tag]; field != nil {
			fields[field[1].(string)] = readKind(field[2], &value, true)
			r.endTag(&value)
		} else if tag%2 == 1 {
			return fields, false // UNSUPPORTED_FIELD
		}
	}
}

func readKind(kind any, r *reader, isTag bool) any {
	if composed, ok := kind.(object); ok {
		if of, ok := composed["list"]; ok {
			return readListOf(of, r)
		}
		item := object{}
		for _, each := range composed["struct"].([]any) {
			item[each.([]any)[0].(string)] = readKind(each.([]any)[1], r, false)
		}
		return item
	}
	switch kind {
	case "u8":
		return json.Number(strconv.Itoa(int(r.u8())))
	case "u16":
		return json.Number(strconv.Itoa(int(r.u16())))
	case "u32":
		return json.Number(strconv.Itoa(int(r.u32())))
	case "u64":
		return strconv.FormatUint(r.u64(), 10)
	case "uuid":
		return r.uuid().String()
	case "bytes":
		if isTag {
			return hex.EncodeToString(r.copied(len(r.data)))
		}
		return hex.EncodeToString(r.bytes())
	case "token":
		if isTag {
			return hex.EncodeToString(r.rawToken(len(r.data)))
		}
		return hex.EncodeToString(r.token())
	case "device":
		return readDevice(r)
	}
	text := ""
	if isTag {
		text = r.rawText(len(r.data))
	} else {
		text = r.str()
	}
	if kind == "topic" {
		text = strings.TrimPrefix(text, "/topics/")
	}
	return text
}

func readListOf(kind any, r *reader) any {
	sizes := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8, "str": 2, "topic": 2, "bytes": 4, "device": 5}
	size := 0
	if word, ok := kind.(string); ok {
		size = sizes[word]
	} else {
		for _, each := range kind.(object)["struct"].([]any) {
			size += sizes[each.([]any)[1].(string)]
		}
	}
	list := []any{}
	for count := r.count(size); count > 0 && !r.isBad; count-- {
		list = append(list, readKind(kind, r, false))
	}
	return list
}

func readDevice(r *reader) any {
	switch r.u8() {
	case deviceByToken:
		return object{"token": object{"environment": json.Number(strconv.Itoa(int(r.u8()))),
			"kind": json.Number(strconv.Itoa(int(r.u8()))), "token": hex.EncodeToString(r.token())}}
	case deviceByID:
		return object{"id": strconv.FormatUint(r.u64(), 10)}
	default:
		r.fail()
		return nil
	}
}

// requestLayouts returns the layouts of requests by name and by opcode.
func requestLayouts(t testing.TB) (map[string]object, map[uint16]string) {
	var all object
	readJSON(t, "../../layouts.json", &all)
	layouts, names := map[string]object{}, map[uint16]string{}
	for _, each := range all["requests"].([]any) {
		message := each.(object)
		layouts[message["name"].(string)] = message["request"].(object)
		opcode, _ := numberOfJSON(message["opcode"])
		names[uint16(opcode)] = message["name"].(string)
	}
	return layouts, names
}
