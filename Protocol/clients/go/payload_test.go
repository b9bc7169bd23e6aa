package carillon

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"
)

type payloadVector struct {
	Name         string            `json:"name"`
	PushType     string            `json:"push_type"`
	Fields       object            `json:"fields"`
	Payload      *string           `json:"payload"`
	Fault        string            `json:"fault"`
	Translations map[string]object `json:"translations"`
	Default      bool              `json:"default"`
	Bodies       [][2]string       `json:"bodies"`
	Special      *struct {
		Path  []any  `json:"path"`
		Value string `json:"value"`
	} `json:"special"`
}

func TestPayloadVectors(t *testing.T) {
	var vectors []payloadVector
	readJSON(t, vectorFolder+"/payloads.json", &vectors)
	if len(vectors) != payloadVectors {
		t.Errorf("there are %d vectors", len(vectors))
	}
	for _, v := range vectors {
		v := v
		t.Run(v.Name, func(t *testing.T) { v.run(t) })
	}
}

func (v *payloadVector) run(t *testing.T) {
	notification := notificationOf(t, v.Fields)
	if v.Special != nil {
		notification.Data = specialData(v.Special.Path, v.Special.Value)
	}
	pushType := PushAlert
	for pushType.String() != v.PushType {
		pushType++
	}
	var payload Payload = notification
	var languages []Languages
	if v.Translations != nil {
		translations := Translations{}
		for tag, fields := range v.Translations {
			n := notificationOf(t, fields)
			translations[tag] = Translation{Title: n.Title, Subtitle: n.Subtitle, Body: n.Body, LaunchImage: n.LaunchImage}
		}
		languages = append(languages, translations)
		if !v.Default {
			payload = WithoutDefault(notification)
		}
	}
	data, bodies, err := payloadsOf(pushType, payload, languages, "payload")
	if v.Fault != "" {
		var found *Error
		if !errors.As(err, &found) || found.Field != v.Fault || found.Code != ErrInvalidArgument {
			t.Errorf("the fault %s was expected, not %v", v.Fault, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if expected := v.Payload; expected == nil && len(data) > 0 || expected != nil && string(data) != *expected {
		t.Errorf("the payload is %s", data)
	}
	if len(bodies) != len(v.Bodies) {
		t.Fatalf("there are %d bodies", len(bodies))
	}
	for index, each := range bodies {
		if each.Language != v.Bodies[index][0] || string(each.Payload) != v.Bodies[index][1] {
			t.Errorf("the body of %s is %s", each.Language, each.Payload)
		}
	}
}

func textOf(value any) Text {
	if key, ok := value.(object); ok {
		var arguments []string
		list, _ := key["loc_args"].([]any)
		for _, each := range list {
			arguments = append(arguments, each.(string))
		}
		return Localized(key["loc_key"].(string), arguments...)
	}
	return Plain(value.(string))
}

func doubleOf(t *testing.T, value any) float64 {
	number, err := value.(json.Number).Float64()
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func wholeOf(value any) int64 {
	number, _ := value.(json.Number).Int64()
	return number
}

func notificationOf(t *testing.T, fields object) *Notification {
	n := &Notification{}
	for name, value := range fields {
		switch name {
		case "title":
			n.Title = textOf(value)
		case "subtitle":
			n.Subtitle = textOf(value)
		case "body":
			n.Body = textOf(value)
		case "launch_image":
			n.LaunchImage = value.(string)
		case "badge":
			n.Badge = Ptr(wholeOf(value))
		case "sound":
			n.Sound = soundOf(t, value)
		case "thread_id":
			n.ThreadID = value.(string)
		case "category":
			n.Category = value.(string)
		case "content_available":
			n.ContentAvailable = value.(bool)
		case "mutable_content":
			n.MutableContent = value.(bool)
		case "interruption_level":
			n.InterruptionLevel = InterruptionLevel(value.(string))
		case "relevance_score":
			n.RelevanceScore = Ptr(doubleOf(t, value))
		case "target_content_id":
			n.TargetContentID = value.(string)
		case "filter_criteria":
			n.FilterCriteria = value.(string)
		case "content_changed":
			n.ContentChanged = value.(bool)
		case "url_args":
			n.URLArgs = []string{}
			for _, each := range value.([]any) {
				n.URLArgs = append(n.URLArgs, each.(string))
			}
		case "live_activity":
			n.LiveActivity = activityOf(t, value.(object))
		case "mdm":
			n.MDM = value.(string)
		case "data":
			n.Data = value.(object)
		default:
			t.Fatalf("there is no field %s", name)
		}
	}
	return n
}

func soundOf(t *testing.T, value any) Sound {
	critical, ok := value.(object)
	if !ok {
		return NamedSound(value.(string))
	}
	if volume, ok := critical["volume"]; ok {
		return CriticalSoundAt(critical["name"].(string), doubleOf(t, volume))
	}
	return CriticalSound(critical["name"].(string))
}

func activityOf(t *testing.T, fields object) *LiveActivity {
	l := &LiveActivity{}
	for name, value := range fields {
		switch name {
		case "timestamp":
			l.Timestamp = time.Unix(wholeOf(value), 0)
		case "event":
			l.Event = LiveActivityEvent(value.(string))
		case "content_state":
			l.ContentState = value.(object)
		case "stale_date":
			l.StaleDate = time.Unix(wholeOf(value), 0)
		case "dismissal_date":
			l.DismissalDate = time.Unix(wholeOf(value), 0)
		case "attributes_type":
			l.AttributesType = value.(string)
		case "attributes":
			l.Attributes = value.(object)
		case "input_push_channel":
			l.InputPushChannel = value.(string)
		case "input_push_token":
			l.InputPushToken = value.(bool)
		default:
			t.Fatalf("there is no field %s", name)
		}
	}
	return l
}

// specialData puts a value that JSON cannot contain at a path. A lone surrogate is bytes that are not UTF-8.
func specialData(path []any, name string) map[string]any {
	const surrogate = "\xed\xa0\x80"
	values := map[string]any{"nan": math.NaN(), "infinity": math.Inf(1), "-infinity": math.Inf(-1),
		"lone-surrogate": surrogate, "lone-surrogate-name": map[string]any{surrogate: 1}, "nested-31": nested(31),
		"nested-32": nested(32)}
	value := values[name]
	for index := len(path) - 1; index >= 0; index-- {
		if text, ok := path[index].(string); ok {
			value = map[string]any{text: value}
		} else {
			value = []any{value}
		}
	}
	return value.(map[string]any)
}

func nested(levels int) any {
	list := []any{}
	for ; levels > 1; levels-- {
		list = []any{list}
	}
	return list
}

// TestJSONOfGoValues: what a program has in its own types is written in the same form.
func TestJSONOfGoValues(t *testing.T) {
	type named string
	value := map[named]any{"n": []int{1, -2}, "u": uint64(math.MaxUint64), "f": float32(0.5), "b": []byte("hi"),
		"s": struct {
			Z int `json:"z"`
			A any `json:"a"`
		}{1, nil}, "t": time.Unix(0, 0).UTC(), "p": Ptr(7), "m": map[string]int{"x": 1}}
	data, err := JSON(value).payload(PushAlert, "payload")
	expected := `{"b":"aGk=","f":0.5,"m":{"x":1},"n":[1,-2],"p":7,"s":{"a":null,"z":1},"t":"1970-01-01T00:00:00Z",` +
		`"u":18446744073709552000}`
	if err != nil || string(data) != expected {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := JSON(map[string]any{"f": func() {}}).payload(PushAlert, "payload"); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
}
