package carillon

// payloadCheck judges a composed payload as the server does (section 16.4). Types are right by construction.
type payloadCheck struct {
	pushType PushType
	root     string
	members  map[string]any
	aps      map[string]any
}

func (p *payloadCheck) fault(path, text string) error {
	return invalid(p.root+"."+path, "%s.%s %s", p.root, path, text)
}

func (p *payloadCheck) run() error {
	if err := p.checkValues(); err != nil {
		return err
	}
	switch p.pushType {
	case PushBackground:
		return p.checkBackground()
	case PushFileProvider:
		return p.checkFileProvider()
	case PushMDM:
		if _, ok := p.members["mdm"].(string); !ok {
			return p.fault("mdm", "must be a string")
		}
	case PushLiveActivity:
		return p.checkLiveActivity()
	case PushWidgets, PushControls:
		if p.aps["content-changed"] != true {
			return p.fault("aps.content-changed", "must be true")
		}
	}
	return nil
}

// checkValues checks the values that a field can have although its type is right.
func (p *payloadCheck) checkValues() error {
	if badge, ok := p.aps["badge"].(int64); ok && badge < 0 {
		return p.fault("aps.badge", "must be 0 or more")
	}
	if err := p.checkVolume(p.aps["sound"], "aps.sound.volume"); err != nil {
		return err
	}
	if alert, ok := p.aps["alert"].(map[string]any); ok {
		if err := p.checkVolume(alert["sound"], "aps.alert.sound.volume"); err != nil {
			return err
		}
	}
	if level, ok := p.aps["interruption-level"].(string); ok {
		switch InterruptionLevel(level) {
		case Passive, ActiveLevel, TimeSensitive, Critical:
		default:
			return p.fault("aps.interruption-level", "must be passive, active, time-sensitive or critical")
		}
	}
	score, ok := p.aps["relevance-score"].(float64)
	if ok && p.pushType != PushLiveActivity && !(score >= 0 && score <= 1) {
		return p.fault("aps.relevance-score", "must be from 0 to 1")
	}
	return nil
}

func (p *payloadCheck) checkVolume(sound any, path string) error {
	critical, _ := sound.(map[string]any)
	if volume, ok := critical["volume"].(float64); ok && !(volume >= 0 && volume <= 1) {
		return p.fault(path, "must be from 0 to 1")
	}
	return nil
}

func (p *payloadCheck) checkBackground() error {
	if p.aps["content-available"] != 1 {
		return p.fault("aps.content-available", "must be set in a silent push")
	}
	for _, each := range []string{"alert", "badge", "sound"} {
		if p.aps[each] != nil {
			return p.fault("aps."+each, "must not be set in a silent push")
		}
	}
	return nil
}

func (p *payloadCheck) checkFileProvider() error {
	if len(p.aps) > 0 {
		return p.fault("aps", "must not be set in a push to a File Provider")
	}
	for _, each := range []string{"container-identifier", "domain"} {
		if _, ok := p.members[each].(string); !ok {
			return p.fault(each, "must be a string")
		}
	}
	return nil
}

func (p *payloadCheck) checkLiveActivity() error {
	for _, each := range []string{"timestamp", "stale-date", "dismissal-date"} {
		seconds, ok := p.aps[each].(int64)
		if each == "timestamp" && !ok || seconds < 0 {
			return p.fault("aps."+each, "must be a time, 0 or more")
		}
	}
	event, _ := p.aps["event"].(string)
	required := []string{"content-state"}
	switch LiveActivityEvent(event) {
	case StartActivity:
		required = append(required, "attributes-type", "attributes", "alert")
	case UpdateActivity:
	case EndActivity:
		required = nil
	default:
		return p.fault("aps.event", "must be start, update or end")
	}
	for _, each := range required {
		if p.aps[each] == nil {
			return p.fault("aps."+each, "must be set")
		}
	}
	return nil
}
