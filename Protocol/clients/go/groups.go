package carillon

import "context"

// AnnounceOption changes Join and Switch: Announce and WithoutRetry.
type AnnounceOption interface {
	applyAnnounce(*announceArguments) error
}

// announceArguments is what options of Join and Switch can change.
type announceArguments struct {
	options      callOptions
	announcement []byte
	bodies       []bodiesItem
}

type announceOption func(*announceArguments) error

func (o announceOption) applyAnnounce(announce *announceArguments) error { return o(announce) }

// Announce sends an alert to the other devices of the group, if a device was not in it before. The payload can be nil
// if there are languages: then devices of other languages get no push.
func Announce(payload Payload, languages ...Languages) AnnounceOption {
	return announceOption(func(announce *announceArguments) (err error) {
		announce.announcement, announce.bodies, err = payloadsOf(PushAlert, payload, languages, "announcement")
		if len(announce.announcement) == 0 {
			announce.announcement = nil
		}
		return err
	})
}

func announceArgumentsOf(options []AnnounceOption) (announce announceArguments, err error) {
	for _, each := range options {
		if err = each.applyAnnounce(&announce); err != nil {
			return announce, err
		}
	}
	return announce, nil
}

// JoinResult is the answer to JOIN.
type JoinResult struct {
	// Joined is how many devices were not members before.
	Joined uint32
	// MessageID is that of the announcement; 0 if there is none.
	MessageID uint64
	// Unknown has the indices of the devices that are not registered; the others take effect.
	Unknown []uint32
}

// Join adds devices to a group. Section 8.1.
func (a *App) Join(ctx context.Context, group string, devices []DeviceReference,
	options ...AnnounceOption) (*JoinResult, error) {
	announce, err := announceArgumentsOf(options)
	if err != nil {
		return nil, err
	}
	return call[JoinResult](ctx, a.client, (&joinRequest{App: a.name, Group: group, Devices: devices,
		Announcement: announce.announcement, Bodies: announce.bodies}).prepare(), announce.options.list())
}

// LeaveResult is the answer to LEAVE.
type LeaveResult struct {
	// Left is how many devices were members.
	Left uint32
	// Unknown has the indices of the devices that are not registered; the others take effect.
	Unknown []uint32
}

// Leave removes devices from a group. Section 8.2.
func (a *App) Leave(
	ctx context.Context, group string, devices []DeviceReference, options ...CallOption,
) (*LeaveResult, error) {
	message := &leaveRequest{App: a.name, Group: group, Devices: devices}
	return call[LeaveResult](ctx, a.client, message.prepare(), options)
}

// LeaveAndClearTopics removes devices from a group and ends their own subscriptions, as at a sign-out. Section 8.2.
func (a *App) LeaveAndClearTopics(ctx context.Context, group string, devices []DeviceReference,
	options ...CallOption) (*LeaveResult, error) {
	message := &leaveRequest{App: a.name, Group: group, Devices: devices, ClearTopics: Ptr[uint8](1)}
	return call[LeaveResult](ctx, a.client, message.prepare(), options)
}

// SwitchGroupResult is the answer to SWITCH.
type SwitchGroupResult struct {
	DeviceID uint64
	Changed  SwitchChanges
	// MessageID is that of the announcement; 0 if there is none.
	MessageID uint64
}

// Switch takes a device out of one group and into another in one step. Section 8.3.
func (a *App) Switch(ctx context.Context, device DeviceReference, from, to string,
	options ...AnnounceOption) (*SwitchGroupResult, error) {
	announce, err := announceArgumentsOf(options)
	if err != nil {
		return nil, err
	}
	return call[SwitchGroupResult](ctx, a.client, (&switchRequest{App: a.name, Device: device, From: from, To: to,
		Announcement: announce.announcement, Bodies: announce.bodies}).prepare(), announce.options.list())
}

// GroupDevices returns a page of the devices of a group. Section 8.4.
func (a *App) GroupDevices(ctx context.Context, group string, page PageRequest,
	options ...CallOption) (*DeviceIDPage, error) {
	return call[DeviceIDPage](ctx, a.client,
		(&groupDevicesRequest{App: a.name, Group: group, Cursor: page.Cursor, Limit: page.limit()}).prepare(), options)
}

// AllGroupDevices iterates over the ids of all devices of a group.
func (a *App) AllGroupDevices(group string, options ...CallOption) *Iterator[uint64] {
	return iterateDevices(func(ctx context.Context, page PageRequest) (*DeviceIDPage, error) {
		return a.GroupDevices(ctx, group, page, options...)
	})
}

// GroupSummary is a row of GROUPS.
type GroupSummary struct {
	Name    string `wire:"group"`
	Devices uint64
	Muted   bool
}

// GroupPage is a page of groups.
type GroupPage struct {
	// Next is After of the next page; empty after the last one.
	Next   string
	Groups []GroupSummary
}

// Groups returns a page of the groups whose names begin with a prefix. Section 8.5.
func (a *App) Groups(ctx context.Context, prefix string, page NamePageRequest,
	options ...CallOption) (*GroupPage, error) {
	return call[GroupPage](ctx, a.client,
		(&groupsRequest{App: a.name, Prefix: prefix, After: page.After, Limit: page.limit()}).prepare(), options)
}

// AllGroups iterates over all groups whose names begin with a prefix.
func (a *App) AllGroups(prefix string, options ...CallOption) *Iterator[GroupSummary] {
	return iterateNames(func(ctx context.Context, page NamePageRequest) ([]GroupSummary, string, error) {
		found, err := a.Groups(ctx, prefix, page, options...)
		if err != nil {
			return nil, "", err
		}
		return found.Groups, found.Next, nil
	})
}

type countAnswer struct {
	Devices uint64
}

// GroupSize returns the number of devices of a group. Section 8.6.
func (a *App) GroupSize(ctx context.Context, group string, options ...CallOption) (uint64, error) {
	return a.updateGroup(ctx, &updateGroupRequest{App: a.name, Group: group}, options)
}

// SetGroupMuted mutes a group, or ends that, and returns the number of its devices. Section 8.6.
func (a *App) SetGroupMuted(ctx context.Context, group string, muted bool, options ...CallOption) (uint64, error) {
	return a.updateGroup(ctx, &updateGroupRequest{App: a.name, Group: group, Muted: bit(&muted)}, options)
}

// updateGroup returns the number of devices of the group.
func (a *App) updateGroup(ctx context.Context, message *updateGroupRequest, options []CallOption) (uint64, error) {
	found, err := call[countAnswer](ctx, a.client, message.prepare(), options)
	if err != nil {
		return 0, err
	}
	return found.Devices, nil
}

// GroupTopicPage is a page of names of topics.
type GroupTopicPage struct {
	// Next is After of the next page; empty after the last one.
	Next   string
	Topics []string
}

// GroupTopics returns a page of the topics that a group itself is subscribed to. Section 8.7.
func (a *App) GroupTopics(ctx context.Context, group string, page NamePageRequest,
	options ...CallOption) (*GroupTopicPage, error) {
	return call[GroupTopicPage](ctx, a.client,
		(&groupTopicsRequest{App: a.name, Group: group, After: page.After, Limit: page.limit()}).prepare(), options)
}

// AllGroupTopics iterates over all topics that a group itself is subscribed to.
func (a *App) AllGroupTopics(group string, options ...CallOption) *Iterator[string] {
	return iterateNames(func(ctx context.Context, page NamePageRequest) ([]string, string, error) {
		found, err := a.GroupTopics(ctx, group, page, options...)
		if err != nil {
			return nil, "", err
		}
		return found.Topics, found.Next, nil
	})
}
