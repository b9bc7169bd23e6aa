package carillon

import (
	"strings"
	"time"
)

// maximumPayloadBytes is how many bytes a payload has at most, and maximumVoIPPayloadBytes one of push type voip.
const (
	maximumPayloadBytes     = 4096
	maximumVoIPPayloadBytes = 5120
)

// payload composes the JSON and checks it as the server does.
func (n *Notification) payload(pushType PushType, root string) ([]byte, error) {
	if n == nil {
		return nil, invalid(root, "the notification is nil")
	}
	aps, err := n.aps(root)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	for name, value := range n.Data {
		members[name] = value
	}
	if _, ok := members["aps"]; ok {
		return nil, invalid("data.aps", "data must not have the name aps")
	}
	if n.MDM != "" {
		if _, ok := members["mdm"]; ok {
			return nil, invalid("data.mdm", "data must not have the name mdm beside that field")
		}
		members["mdm"] = n.MDM
	}
	if len(aps) > 0 {
		members["aps"] = aps
	}
	data, err := appendJSON(nil, members, root, 1)
	if err != nil {
		return nil, err
	}
	limit := maximumPayloadBytes
	if pushType == PushVoIP {
		limit = maximumVoIPPayloadBytes
	}
	if len(data) > limit {
		return nil, invalid(root, "the payload has %d bytes; the limit is %d", len(data), limit)
	}
	check := payloadCheck{pushType: pushType, root: root, members: members, aps: aps}
	if err := check.run(); err != nil {
		return nil, err
	}
	return data, nil
}

// aps composes the member aps.
func (n *Notification) aps(root string) (map[string]any, error) {
	aps := map[string]any{}
	alert := n.alert()
	if n.LiveActivity != nil {
		if err := n.putActivity(aps, alert, root); err != nil {
			return nil, err
		}
	} else if n.Sound != (Sound{}) {
		aps["sound"] = n.Sound.value()
	}
	isPlain := n.LiveActivity == nil && n.Body.isSet && !n.Body.isKey && len(alert) == 1
	switch {
	case isPlain:
		aps["alert"] = n.Body.text
	case len(alert) > 0:
		aps["alert"] = alert
	}
	if n.Badge != nil {
		aps["badge"] = *n.Badge
	}
	if n.RelevanceScore != nil {
		aps["relevance-score"] = *n.RelevanceScore
	}
	if n.URLArgs != nil {
		aps["url-args"] = n.URLArgs
	}
	if n.ContentChanged {
		aps["content-changed"] = true
	}
	putText(aps, "thread-id", n.ThreadID)
	putText(aps, "category", n.Category)
	putText(aps, "interruption-level", string(n.InterruptionLevel))
	putText(aps, "target-content-id", n.TargetContentID)
	putText(aps, "filter-criteria", n.FilterCriteria)
	putFlag(aps, "content-available", n.ContentAvailable)
	putFlag(aps, "mutable-content", n.MutableContent)
	return aps, nil
}

// alert composes the texts as an object.
func (n *Notification) alert() map[string]any {
	alert := map[string]any{}
	for _, each := range []struct {
		text         Text
		name, prefix string
	}{{n.Title, "title", "title-"}, {n.Subtitle, "subtitle", "subtitle-"}, {n.Body, "body", ""}} {
		arguments := each.text.arguments
		switch {
		case !each.text.isSet:
		case !each.text.isKey:
			alert[each.name] = each.text.text
		case n.LiveActivity != nil:
			key := map[string]any{"loc-key": each.text.text}
			if len(arguments) > 0 {
				key["loc-args"] = arguments
			}
			alert[each.name] = key
		default:
			alert[each.prefix+"loc-key"] = each.text.text
			if len(arguments) > 0 {
				alert[each.prefix+"loc-args"] = arguments
			}
		}
	}
	putText(alert, "launch-image", n.LaunchImage)
	return alert
}

// putActivity puts the keys of the Live Activity into aps, and its sound into its alert.
func (n *Notification) putActivity(aps, alert map[string]any, root string) error {
	if n.LaunchImage != "" {
		return invalid(root+".aps.alert.launch-image", "a Live Activity has no launch image")
	}
	if n.Sound != (Sound{}) {
		if len(alert) == 0 {
			return invalid(root+".aps.sound", "the sound of a Live Activity needs a text")
		}
		alert["sound"] = n.Sound.value()
	}
	n.LiveActivity.put(aps)
	return nil
}

// put puts the keys of a Live Activity into aps.
func (l *LiveActivity) put(aps map[string]any) {
	putSeconds(aps, "timestamp", l.Timestamp)
	putText(aps, "event", string(l.Event))
	putSeconds(aps, "stale-date", l.StaleDate)
	putSeconds(aps, "dismissal-date", l.DismissalDate)
	putText(aps, "attributes-type", l.AttributesType)
	putText(aps, "input-push-channel", l.InputPushChannel)
	putFlag(aps, "input-push-token", l.InputPushToken)
	if l.ContentState != nil {
		aps["content-state"] = l.ContentState
	}
	if l.Attributes != nil {
		aps["attributes"] = l.Attributes
	}
}

func putText(object map[string]any, name, text string) {
	if text != "" {
		object[name] = text
	}
}

func putFlag(object map[string]any, name string, isSet bool) {
	if isSet {
		object[name] = 1
	}
}

func putSeconds(object map[string]any, name string, at time.Time) {
	if !at.IsZero() {
		object[name] = at.Unix()
	}
}

func lowerTag(tag string) string { return strings.ToLower(tag) }

// isLanguageTag is true for 2 to 35 ASCII letters, digits and hyphens.
func isLanguageTag(tag string) bool {
	for _, each := range tag {
		if !(each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || each >= '0' && each <= '9' || each == '-') {
			return false
		}
	}
	return len(tag) >= 2 && len(tag) <= 35
}
