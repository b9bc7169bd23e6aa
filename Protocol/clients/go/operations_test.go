package carillon

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestEachOperation calls every public method and compares the fields of its request, read by layouts.json.
func TestEachOperation(t *testing.T) {
	layouts, names := requestLayouts(t)
	var mu sync.Mutex
	var written string
	server := startPeer(t, func(h header, payload []byte) ([]byte, *errorFrame) {
		fields, isWhole := layoutFields(layouts[names[h.opcode]], payload)
		delete(fields, "deadline_ms")
		mu.Lock()
		defer mu.Unlock()
		written = fmt.Sprint(names[h.opcode], " ", isWhole, " ", fields)
		return nil, &errorFrame{Code: 10, RetryAfterMs: never}
	})
	client := server.connect(t)
	app, ctx := client.App("a"), context.Background()
	at, device, token := time.UnixMilli(1790000000123), DeviceID(7), []byte{0xab}
	key, page, named := Key{1}, Page{Cursor: 5, Limit: 9}, NamePage{After: "x", Limit: 9}
	byToken := DeviceToken(Sandbox, KindVoIP, token)
	const keyText, none = "01000000000000000000000000000000", "00000000000000000000000000000000"
	body := &Notification{Body: Plain("b")}
	const payload = "7b22617073223a7b22616c657274223a2262227d7d" // {"aps":{"alert":"b"}}
	calls := map[string]func(){
		"register true map[app:a attributes:[map[key:k value:v] map[key:l value:]] environment:2 groups:[g] kind:2 locale: " +
			"replaces:ac seen_at:1790000000123 time_zone:UTC token:ab topics:[t]]": func() {
			_, _ = app.Register(ctx, Registration{Environment: Sandbox, Kind: KindVoIP, Token: token, SeenAt: at,
				Replaces: []byte{0xac}, Locale: Ptr(""), TimeZone: Ptr("UTC"), Topics: []string{"t"}, Groups: []string{"g"},
				Attributes: map[string]string{"l": "", "k": "v"}})
		},
		"register_batch true map[items:[0001620101" + "01ab0000000000000000]]": func() {
			_, _ = client.RegisterBatch(ctx, []Registration{{App: "b", Token: token}})
		},
		"unregister true map[app:a at:1790000000123 device:map[id:7]]": func() { _, _ = app.Unregister(ctx, device, at) },
		"lookup true map[app:a device:map[token:map[environment:2 kind:2 token:ab]]]": func() {
			_, _ = app.Lookup(ctx, byToken)
		},
		"update_device true map[app:a attributes:[map[key:k value:v]] device:map[id:7] locale:de muted:1 time_zone:]": func() {
			_, _ = app.UpdateDevice(ctx, device, DeviceUpdate{Locale: Ptr("de"), TimeZone: Ptr(""), Muted: Ptr(true),
				Attributes: map[string]string{"k": "v"}})
		},
		"memberships true map[after:x app:a device:map[id:7] limit:9]": func() { _, _ = app.Memberships(ctx, device, named) },
		"restore true map[app:a device:map[id:7]]":                     func() { _, _ = app.Restore(ctx, device) },
		"quarantine true map[app:a cursor:5 limit:9]":                  func() { _, _ = app.Quarantine(ctx, page) },
		"join true map[announcement:" + payload + " app:a bodies:[map[language:de payload:7b7d]] devices:[map[id:7]] group:g]": func() {
			_, _ = app.Join(ctx, "g", []Device{device}, Announce(body, PayloadsByLanguage{"de": Raw("{}")}))
		},
		"leave true map[app:a devices:[map[id:7]] group:g]": func() { _, _ = app.Leave(ctx, "g", []Device{device}) },
		"leave true map[app:a clear_topics:1 devices:[map[id:7]] group:g]": func() {
			_, _ = app.LeaveAndClearTopics(ctx, "g", []Device{device})
		},
		"switch true map[announcement:" + payload + " app:a device:map[id:7] from:f to:g]": func() {
			_, _ = app.Switch(ctx, device, "f", "g", Announce(body), WithoutRetry())
		},
		"group_devices true map[app:a cursor:5 group:g limit:9]": func() { _, _ = app.GroupDevices(ctx, "g", page) },
		"groups true map[after:x app:a limit:9 prefix:p]":        func() { _, _ = app.Groups(ctx, "p", named) },
		"update_group true map[app:a group:g muted:0]":           func() { _, _ = app.UpdateGroup(ctx, "g", Ptr(false)) },
		"update_group true map[app:a group:g]":                   func() { _, _ = app.UpdateGroup(ctx, "g", nil) },
		"group_topics true map[after: app:a group:g limit:1000]": func() { _, _ = app.GroupTopics(ctx, "g", NamePage{}) },
		"subscribe true map[app:a devices:[map[id:7]] groups:[g] topics:[t]]": func() {
			_, _ = app.Subscribe(ctx, []string{"t"}, Subscribers{Devices: []Device{device}, Groups: []string{"g"}})
		},
		"unsubscribe true map[app:a devices:[] groups:[g] topics:[t]]": func() {
			_, _ = app.Unsubscribe(ctx, []string{"t"}, Subscribers{Groups: []string{"g"}})
		},
		"topics true map[after:x app:a limit:9 prefix:p]":        func() { _, _ = app.Topics(ctx, "p", named) },
		"topic_devices true map[app:a cursor:5 limit:9 topic:t]": func() { _, _ = app.TopicDevices(ctx, "t", page) },
		"explain true map[app:a condition:all]":                  func() { _, _ = app.Explain(ctx, "all") },
		"send true map[app:a audience:2 bodies:[map[language:de payload:" + strings.Replace(payload, "2262227d", "2263227d", 1) +
			"]] collapse_id:c devices:[] dry_run:1 except:map[id:7] expiration:1790000000 groups:[g h] id_key:i key:" + keyText +
			" label:l lane:2 not_after:1790000000123 over_budget:2 pace:6 payload:" + payload +
			" priority:5 push_type:1 send_at:1790000000123]": func() {
			_, _ = app.Send(ctx, ToGroups("g", "h"), body, WithKey(key), WithPriority(5), WithExpiration(at), WithCollapseID("c"),
				WithNotAfter(at), WithLane(Bulk), WithLanguages(Translations{"de": {Body: Plain("c")}}), WithException(device),
				DryRun(), WithSendAt(at), WithPace(6), WithOverBudget(Wait), WithIDKey("i"), WithLabel("l"), WithoutRetry())
		},
		"send true map[android:7b7d app:a audience:5 devices:[] key:" + none + " payload:7b7d priority:0 push_type:1]": func() {
			_, _ = app.Send(ctx, AllDevices(), JSON(map[string]any{}), WithoutKey(), WithAndroid([]byte("{}")))
		},
		"send true map[android_raw:7b7d app:a audience:5 devices:[] key:" + none + " payload:7b7d priority:0 push_type:1]": func() {
			_, _ = app.Send(ctx, AllDevices(), JSON(map[string]any{}), WithoutKey(), WithAndroidRaw([]byte("{}")))
		},
		"send true map[app:a audience:5 devices:[] key:" + none + " payload:7b7d priority:0 push_type:1 web:7b7d]": func() {
			_, _ = app.Send(ctx, AllDevices(), JSON(map[string]any{}), WithoutKey(), WithWeb([]byte("{}")))
		},
		"send true map[app:a audience:5 devices:[] key:" + none + " payload:7b7d priority:0 push_type:1 web_raw:7b7d]": func() {
			_, _ = app.Send(ctx, AllDevices(), JSON(map[string]any{}), WithoutKey(), WithWebRaw([]byte("{}")))
		},
		"send true map[app:a audience:4 condition:all devices:[] expiration:0 key:" + none + " payload:7b7d priority:0 push_type:4]": func() {
			_, _ = app.Send(ctx, ToCondition("all"), JSON(map[string]any{}), WithoutKey(), WithoutStoring(), WithPushType(VoIP))
		},
		"send true map[app:a audience:6 channel:Y2g= devices:[] environment:2 expiration:0 key:" + none + " payload:7b7d priority:0 push_type:8]": func() {
			_, _ = app.Send(ctx, ToChannel(Sandbox, "Y2g="), JSON(map[string]any{}), WithoutKey(), WithoutStoring(),
				WithPushType(LiveActivityPush))
		},
		"message_status true map[app:a message_id:8]": func() { _, _ = app.MessageStatus(ctx, 8) },
		"message_outcomes true map[app:a cursor:5 limit:9 message_id:8]": func() {
			_, _ = app.MessageOutcomes(ctx, 8, page)
		},
		"messages true map[app:a before:5 label:l limit:9 sender:s state:3]": func() {
			_, _ = app.Messages(ctx, MessageFilter{State: Finished, Sender: "s", Label: "l"}, page)
		},
		"update_message true map[action:4 app:a message_id:8 pace:3]": func() { _, _ = app.UpdateMessage(ctx, 8, Pace(3)) },
		"update_message true map[action:4 app:a message_id:8]":        func() { _, _ = app.UpdateMessage(ctx, 8, NoPace()) },
		"update_message true map[action:3 app:a message_id:8]":        func() { _, _ = app.UpdateMessage(ctx, 8, Resume()) },
		"update_message true map[action:2 app:a message_id:8]":        func() { _, _ = app.UpdateMessage(ctx, 8, Pause()) },
		"resend true map[app:a key:" + keyText + " message_id:8 not_after:18446744073709551615 outcomes:[3 4]]": func() {
			_, _ = app.Resend(ctx, 8, WithKey(key), WithoutTimeLimit(), WithOutcomes(Expired, GaveUp), WithoutRetry())
		},
		"trace true map[app:a device:map[id:7] message_id:8]": func() { _, _ = app.Trace(ctx, 8, device) },
		"create_channel true map[app:a environment:2 storage_policy:1]": func() {
			_, _ = app.CreateChannel(ctx, Sandbox, StoreNone, WithoutRetry())
		},
		"channel true map[app:a channel:Y2g= environment:1]": func() { _, _ = app.Channel(ctx, Production, "Y2g=") },
		"channels true map[after:x app:a environment:1 limit:9]": func() {
			_, _ = app.Channels(ctx, Production, named)
		},
		"delete_channel true map[app:a channel:Y2g= environment:2]": func() {
			_, _ = app.DeleteChannel(ctx, Sandbox, "Y2g=")
		},
		"forget_subscriber true map[name:n]": func() { _, _ = client.ForgetSubscriber(ctx, "n") },
		"receipts true map[app:a receipts:[map[device:map[id:7] kind:2 message_id:8]]]": func() {
			_, _ = app.Receipts(ctx, []Receipt{{MessageID: 8, Device: device, Kind: Opened}})
		},
		"receipt_devices true map[app:a cursor:5 kind:1 limit:9 message_id:8]": func() {
			_, _ = app.ReceiptDevices(ctx, 8, Received, page)
		},
		"statistics true map[limit:3]":             func() { _, _ = client.Statistics(ctx, 3) },
		"remove_node true map[node:b]":             func() { _, _ = client.RemoveNode(ctx, "b", WithoutRetry()) },
		"devices true map[app:a cursor:5 limit:9]": func() { _, _ = app.Devices(ctx, page) },
		"subscribe_events true map[apps:[a] credit:5 from:9 kinds:[1] name:n]": func() {
			_, _ = client.Events(ctx, WithName("n"), WithStart(After(9)), WithApps("a"), WithKinds(MessageFinished), WithWindow(5))
		},
	}
	operations := map[string]bool{}
	for expected, run := range calls {
		run()
		mu.Lock()
		if written != expected {
			t.Errorf("written  %s\nexpected %s", written, expected)
		}
		mu.Unlock()
		operations[strings.Fields(expected)[0]] = true
	}
	// HELLO, AUTH, EVENT_CREDIT and UNSUBSCRIBE_EVENTS are no calls of a program.
	if len(operations) != len(layouts)-4 {
		t.Errorf("%d of %d operations were called", len(operations), len(layouts))
	}
}

// TestAnswersOfOperations: methods whose result is not the answer itself.
func TestAnswersOfOperations(t *testing.T) {
	server := startPeer(t, func(h header, _ []byte) ([]byte, *errorFrame) {
		w := writer{}
		switch h.opcode {
		case opcodeMessages:
			w.u64(0)
			w.u32(1)
			w.data = append(w.data, make([]byte, 8+1+8+1+1+8+8)...)
			start := w.tag(16)
			w.u32(1)
			w.u64(4)
			w.u64(5)
			w.str("", "label")
			w.str("", "sender")
			w.endTag(start)
		case opcodeRegisterBatch:
			w.u32(2)
			w.data = append(w.data, make([]byte, 11)...)
			w.u16(12)
			w.data = append(w.data, make([]byte, 9)...)
		case opcodeUpdateMessage:
			w.u8(5)
		case opcodeUpdateGroup:
			w.u64(3)
		case opcodeForgetSubscriber, opcodeDeleteChannel, opcodeChannel:
			w.u8(2)
		case opcodeCreateChannel:
			w.str("", "Y2g=")
		}
		return w.data, nil
	})
	client, ctx := server.connect(t), context.Background()
	app := client.App("a")
	list, err := app.Messages(ctx, MessageFilter{}, Page{})
	if err != nil || *list.Messages[0].Details != (MessageDetails{4, 5, "label", "sender"}) {
		t.Error(list, err)
	}
	batch, err := client.RegisterBatch(ctx, []Registration{{Token: []byte{1}}, {Token: []byte{2}}})
	if err != nil || batch[0].Err() != nil || batch[1].Err() != ErrStale {
		t.Error(batch, err)
	}
	if state, err := app.UpdateMessage(ctx, 1, Pause()); state != Paused || err != nil {
		t.Error(state, err)
	}
	if devices, err := app.UpdateGroup(ctx, "g", nil); devices != 3 || err != nil {
		t.Error(devices, err)
	}
	if result, err := client.ForgetSubscriber(ctx, "n"); result != NoSuchName || err != nil {
		t.Error(result, err)
	}
	if channel, err := app.CreateChannel(ctx, Production, StoreMostRecent); channel != "Y2g=" || err != nil {
		t.Error(channel, err)
	}
	if policy, err := app.Channel(ctx, Production, "Y2g="); policy != StoreMostRecent || err != nil {
		t.Error(policy, err)
	}
	if result, err := app.DeleteChannel(ctx, Production, "Y2g="); result != NoSuchChannel || err != nil {
		t.Error(result, err)
	}
	if err := client.Ping(ctx); err != nil {
		t.Error(err)
	}
	if found, ok := client.Server(); !ok || found.Software != "peer/1.0" || found.Address == "" {
		t.Error(found, ok)
	}
}
