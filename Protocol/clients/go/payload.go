package carillon

import "time"

// Payload is what APNs delivers: a *Notification, Raw bytes or JSON.
type Payload interface {
	// payload returns the bytes. Faults are named by a path that begins with root.
	payload(pushType PushType, root string) ([]byte, error)
}

// Raw is a payload that is sent as it is.
type Raw []byte

func (r Raw) payload(PushType, string) ([]byte, error) { return r, nil }

// JSON is a payload made of a value, in the form of Payloads.md, section 4: of maps, slices, texts, numbers, and what
// encoding/json can encode.
func JSON(value any) Payload { return jsonPayload{value} }

type jsonPayload struct{ value any }

func (j jsonPayload) payload(_ PushType, root string) ([]byte, error) {
	data, err := appendJSON(nil, j.value, root, 1)
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Text is a text, or a key of the app's own tables. Plain and Localized make one; the zero value is not set.
type Text struct {
	isSet, isKey bool
	text         string
	arguments    []string
}

// Plain is a text that is shown as it is.
func Plain(text string) Text { return Text{isSet: true, text: text} }

// Localized is a text of the app's own tables, with arguments.
func Localized(key string, arguments ...string) Text {
	return Text{isSet: true, isKey: true, text: key, arguments: arguments}
}

// Sound is a sound of the app. NamedSound and CriticalSound make one; the zero value is not set.
type Sound struct {
	name       string
	isCritical bool
	volume     *float64
}

// NamedSound is a sound of the app, or "default".
func NamedSound(name string) Sound { return Sound{name: name} }

// CriticalSound is a sound that is heard although the device is silent.
func CriticalSound(name string) Sound { return Sound{name: name, isCritical: true} }

// CriticalSoundAt is CriticalSound with a volume from 0 to 1.
func CriticalSoundAt(name string, volume float64) Sound {
	return Sound{name: name, isCritical: true, volume: &volume}
}

func (s Sound) value() any {
	if !s.isCritical {
		return s.name
	}
	critical := map[string]any{"critical": 1, "name": s.name}
	if s.volume != nil {
		critical["volume"] = *s.volume
	}
	return critical
}

// InterruptionLevel says how urgent a notification is.
type InterruptionLevel string

// The levels of APNs.
const (
	Passive       InterruptionLevel = "passive"
	ActiveLevel   InterruptionLevel = "active"
	TimeSensitive InterruptionLevel = "time-sensitive"
	Critical      InterruptionLevel = "critical"
)

// Notification is a payload made of fields, by Payloads.md. What is zero is not in the payload.
type Notification struct {
	Title, Subtitle, Body Text
	LaunchImage           string
	Badge                 *int64
	Sound                 Sound
	ThreadID              string
	Category              string
	ContentAvailable      bool
	MutableContent        bool
	InterruptionLevel     InterruptionLevel
	RelevanceScore        *float64
	TargetContentID       string
	FilterCriteria        string
	ContentChanged        bool
	// URLArgs is in the payload if it is not nil.
	URLArgs      []string
	LiveActivity *LiveActivity
	MDM          string
	// Data are members beside aps: what JSON accepts, by name.
	Data map[string]any
}

// LiveActivityEvent is what becomes of a Live Activity.
type LiveActivityEvent string

// The events of a Live Activity.
const (
	StartActivity  LiveActivityEvent = "start"
	UpdateActivity LiveActivityEvent = "update"
	EndActivity    LiveActivityEvent = "end"
)

// LiveActivity is the part of a notification for a Live Activity. Times are cut to seconds.
type LiveActivity struct {
	Timestamp time.Time
	Event     LiveActivityEvent
	// ContentState and Attributes are in the payload if they are not nil.
	ContentState     map[string]any
	StaleDate        time.Time
	DismissalDate    time.Time
	AttributesType   string
	Attributes       map[string]any
	InputPushChannel string
	InputPushToken   bool
}

// Translation is what differs in a language.
type Translation struct {
	Title, Subtitle, Body Text
	LaunchImage           string
}

// Translations are the texts of a notification by language tag. The payload of the call must be a *Notification, or
// WithoutDefault of one.
type Translations map[string]Translation

// WithoutDefault takes a notification for its translations only: devices of other languages get no push.
func WithoutDefault(notification *Notification) Payload { return onlyTranslated{notification} }

type onlyTranslated struct{ notification *Notification }

func (onlyTranslated) payload(PushType, string) ([]byte, error) { return nil, nil }

func (t Translations) bodies(pushType PushType, payload Payload) ([]bodiesItem, error) {
	base, ok := payload.(*Notification)
	if only, isOnly := payload.(onlyTranslated); isOnly {
		base, ok = only.notification, true
	}
	if !ok || base == nil {
		return nil, invalid("payload", "translations need a *Notification")
	}
	var items []bodiesItem
	earlier := map[string]bool{}
	for _, tag := range sortedTags(t) {
		lowerCase := lowerTag(tag)
		if !isLanguageTag(tag) || earlier[lowerCase] {
			return nil, invalid("bodies."+tag, "%q is not a language tag, or occurs twice", tag)
		}
		earlier[lowerCase] = true
		body, err := base.translated(t[tag]).payload(pushType, "bodies."+tag)
		if err != nil {
			return nil, err
		}
		items = append(items, bodiesItem{Language: tag, Payload: body})
	}
	return items, nil
}

func (n *Notification) translated(translation Translation) *Notification {
	copied := *n
	if translation.Title.isSet {
		copied.Title = translation.Title
	}
	if translation.Subtitle.isSet {
		copied.Subtitle = translation.Subtitle
	}
	if translation.Body.isSet {
		copied.Body = translation.Body
	}
	if translation.LaunchImage != "" {
		copied.LaunchImage = translation.LaunchImage
	}
	return &copied
}
