-- Wireshark dissector for CRLN/1 (short for Carillon), the protocol of Carillon-v1.md and Registries.md. § means a
-- section of these.
--
-- Use it with `wireshark -X lua_script:carillon.lua`, or put it into the folder of personal Lua plugins; it is one file
-- for that reason. It recognises a connection by the preface, by the TCP port of the preferences, or inside decrypted
-- TLS by the ALPN name carillon/1. Filters: carillon.frame.* is the header, carillon.<name> is a field of a payload
-- with its name in the document.
--
-- Long: Wireshark loads one file.

local carillon = Proto("carillon", "Carillon push protocol")

local MAGIC = "\xC3CRLN\r\n\x1A"
local HEADER_SIZE = 16
local PREFACE_SIZE = 16
local MAXIMUM_TAGGED_FIELDS = 64    -- of a payload, §4.2
local MAXIMUM_SHOWN_ITEMS = 4096    -- of a list; the rest is cut, so that a hostile count cannot fill the tree
local MAXIMUM_INFO_FRAMES = 8       -- of one packet in the info column
local MAXIMUM_INFO_TEXT_BYTES = 60  -- of one value in the info column
local LAST_PRINTABLE_SECOND = 253402300799

carillon.prefs.port = Pref.uint("TCP port", 7474, "Connections on this port are Carillon without TLS; 0 = none")
carillon.prefs.frame_limit =
    Pref.uint("Largest payload", 1048576, "A longer frame is a fault of framing: the server's frame_limit (§6.1)")

---------------------------------------------------------------------------------------------------------------------
-- Registries, §15 and §16

local KINDS = { [1] = "request", [2] = "answer", [3] = "error", [4] = "event", [5] = "control" }

-- Filled from the table of operations below.
local OPCODES = {}

local EVENTS = {
    [0] = "gap", "message-finished", "delivery-failed", "device-quarantined", "token-replaced", "device-moved",
    "message-updated", "connection-up", "connection-down", "credential-refused", "bad-tokens-began",
    "bad-tokens-ended", "pool-unreachable", "pool-reachable",
}

local MESSAGE_STATES = { "waiting", "sending", "finished", "scheduled", "paused" }
local LANES = { "interactive", "bulk" }

local ERRORS = {
    "MALFORMED", "FRAME_TOO_LARGE", "UNSUPPORTED_VERSION", "UNSUPPORTED_OPCODE", "UNSUPPORTED_FIELD", "WRONG_PHASE",
    "BAD_REQUEST_ID", "AUTHENTICATION_FAILED", "FORBIDDEN", "NOT_FOUND", "INVALID_ARGUMENT", "STALE",
    "IDEMPOTENCY_CONFLICT", "TOO_LARGE", "RATE_LIMITED", "OVERLOADED", "STORAGE_FULL", "STORAGE_FAILED", "DEADLINE",
    "DRAINING", "TOO_MANY_PINGS", "TOO_MANY_ERRORS", "TIMEOUT", "INTERNAL", "TOO_MANY_CONNECTIONS",
    "APNS_REFUSED", "APNS_UNAVAILABLE", "BEHIND",
}

local OUTCOMES = {
    [0] = "pending", [1] = "delivered", [2] = "unregistered", [3] = "expired", [4] = "gave-up", [5] = "wrong-kind",
    [6] = "no-credential", [7] = "quarantined", [8] = "muted", [9] = "no-language", [10] = "cancelled",
    [11] = "over-budget", [12] = "left", [32] = "token-unregistered", [33] = "token-expired",
    [34] = "bad-token", [35] = "token-not-for-topic", [36] = "payload-too-large", [37] = "topic-disallowed",
    [38] = "bad-topic", [39] = "bad-request", [40] = "forbidden", [41] = "no-channel",
    [63] = "refused",
}

local TOKEN_KINDS = {
    "device", "voip", "liveactivity", "widget", "control", "pushtotalk", "fileprovider", "location", "complication",
    "mdm", "fcm", "fid", "web",
}

local AUDIENCES = { "the devices that follow", "groups", "topic", "condition", "every device", "a broadcast channel" }

local PUSH_TYPES = {
    "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity", "pushtotalk",
    "widgets", "controls",
}

local NEVER = "4294967295"
local NO_LAST_ID = "18446744073709551615"

---------------------------------------------------------------------------------------------------------------------
-- Fields of the tree

local registered = {}

--- Makes a ProtoField and adds it to the list that is registered with the protocol.
local function proto_field(constructor, abbreviation, ...)
    local field = constructor("carillon." .. abbreviation, ...)
    registered[#registered + 1] = field
    return field
end

local header = {
    length = proto_field(ProtoField.uint32, "frame.length", "Length", base.DEC),
    kind = proto_field(ProtoField.uint8, "frame.kind", "Kind", base.DEC, KINDS),
    flags = proto_field(ProtoField.uint8, "frame.flags", "Flags", base.HEX),
    ack = proto_field(ProtoField.bool, "frame.flags.ack", "ACK", 8, nil, 0x01),
    layout = proto_field(ProtoField.uint8, "frame.layout", "Layout", base.DEC),
    id = proto_field(ProtoField.uint64, "frame.id", "Id", base.DEC),
    message = proto_field(ProtoField.string, "frame.message", "Message"),
    request_in = proto_field(ProtoField.framenum, "request_in", "Request in", base.NONE, frametype.REQUEST),
    answer_in = proto_field(ProtoField.framenum, "answer_in", "Answer in", base.NONE, frametype.RESPONSE),
    time = proto_field(ProtoField.relative_time, "time", "Time since the request"),
}

local preface = {
    magic = proto_field(ProtoField.bytes, "preface.magic", "Magic"),
    lowest = proto_field(ProtoField.uint8, "preface.lowest", "Lowest version", base.DEC),
    highest = proto_field(ProtoField.uint8, "preface.highest", "Highest version", base.DEC),
    version = proto_field(ProtoField.uint8, "preface.version", "Version chosen", base.DEC),
    reserved = proto_field(ProtoField.bytes, "preface.reserved", "Reserved"),
}

local section = {
    count = proto_field(ProtoField.uint32, "tags", "Tagged section, fields", base.DEC),
    tag = proto_field(ProtoField.uint32, "tag", "Tag", base.DEC),
    size = proto_field(ProtoField.uint32, "tag.size", "Size", base.DEC),
    unknown = proto_field(ProtoField.bytes, "tag.unknown", "Unknown field"),
}

local undecoded = proto_field(ProtoField.bytes, "undecoded", "Undecoded bytes")

--- Makes the fields of the single bits of a number, from the lowest bit: pairs of abbreviation and name.
local function bit_fields(...)
    local fields = {}
    for index, bit in ipairs({ ... }) do
        fields[index] = proto_field(ProtoField.bool, bit[1], bit[2], 8, nil, 2 ^ (index - 1))
    end
    return fields
end

local experts = {
    malformed = ProtoExpert.new("carillon.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
    item = ProtoExpert.new("carillon.malformed_item", "Malformed item", expert.group.MALFORMED, expert.severity.WARN),
    framing = ProtoExpert.new("carillon.framing", "Fault of framing", expert.group.MALFORMED, expert.severity.ERROR),
    invalid = ProtoExpert.new("carillon.invalid", "Not allowed", expert.group.PROTOCOL, expert.severity.WARN),
    unknown = ProtoExpert.new("carillon.unknown", "Unknown", expert.group.UNDECODED, expert.severity.NOTE),
    order = ProtoExpert.new("carillon.order", "Out of order", expert.group.SEQUENCE, expert.severity.WARN),
    refused = ProtoExpert.new("carillon.refused", "Error", expert.group.RESPONSE_CODE, expert.severity.NOTE),
    cut = ProtoExpert.new("carillon.cut", "Not shown", expert.group.UNDECODED, expert.severity.NOTE),
}

local CONSTRUCTORS = {
    u8 = ProtoField.uint8, u16 = ProtoField.uint16, u32 = ProtoField.uint32, u64 = ProtoField.uint64,
    uuid = ProtoField.guid, str = ProtoField.string, bytes = ProtoField.bytes, text = ProtoField.string,
    secret = ProtoField.none, token = ProtoField.bytes, list = ProtoField.uint32,
}
local NUMBERS = { u8 = true, u16 = true, u32 = true, u64 = true, list = true }

--- Describes a field of a payload: its name in the document, its type and options.
--- Options: abbreviation (if not the name), names (of an enumeration), notes (on single values), min and max (bytes),
--- empty (0 bytes are allowed below min), time ("ms" or "s"), brief (shown in the info column), labelled (shown there
--- with its name), open (names of some values), bits (fields of single bits), items (of a list), nested (schema of the
--- items).
local function define(name, kind, options)
    local entry = options or {}
    entry.name, entry.type = name, kind
    local constructor = CONSTRUCTORS[kind]
    if constructor then
        local abbreviation = entry.abbreviation or name
        if NUMBERS[kind] then
            entry.field = proto_field(constructor, abbreviation, name, base.DEC, entry.names)
        else
            entry.field = proto_field(constructor, abbreviation, name)
        end
    end
    return entry
end

--- Returns the same field of the tree with other options.
local function variant(entry, options)
    local copy = {}
    for key, value in pairs(entry) do copy[key] = value end
    for key, value in pairs(options) do copy[key] = value end
    return copy
end

---------------------------------------------------------------------------------------------------------------------
-- Messages, §6 to §15

local app = define("app", "str", { min = 1, max = 155, brief = true })
local environment = define("environment", "u8", { names = { "production", "sandbox" } })
local token_kind = define("kind", "u8", { names = TOKEN_KINDS })
local token = define("token", "token", { brief = true })
local seen_at = define("seen_at", "u64", { time = "ms", notes = { ["0"] = "now" } })
local device_id = define("device_id", "u64", { brief = true })
local device = define("device", "device")
local form = define("form", "u8", { names = { "by token", "by id" } })
local locale = define("locale", "str", { min = 2, max = 35, empty = true })
local time_zone = define("time_zone", "str", { min = 1, max = 64, empty = true })
local message_id = define("message_id", "u64", { brief = true })
local software = define("software", "str", { brief = true })
local outcome = define("outcome", "u8", { names = OUTCOMES })
local register_result = define("result", "u8", {
    abbreviation = "register.result", names = { [0] = "none", "created", "refreshed", "replaced" }, brief = true,
})
local deadline_ms = define("deadline_ms", "u32")

local YES_NO = { [0] = "no", [1] = "yes" }
local roles = define("roles", "u8", {
    bits = bit_fields(
        { "roles.register", "register" }, { "roles.send", "send" }, { "roles.observe", "observe" },
        { "roles.admin", "admin" }),
})
local FROM_START = { [""] = "from the start" }
local group = define("group", "str", { min = 1, max = 200, brief = true })
local topic = define("topic", "str", { min = 1, max = 208, brief = true }) -- 8 of FCM's prefix
local groups = define("groups", "list", { items = { group }, brief = true })
local topics = define("topics", "list", { items = { topic }, brief = true })
local devices = define("devices", "list", { items = { device }, brief = true })
local device_ids = variant(devices, { items = { device_id } })
local counted = define("devices", "u64", { abbreviation = "set.devices" })
local muted = define("muted", "u8", { names = YES_NO, brief = true, labelled = true })
local attributes = define("attributes", "list", {
    items = {
        define("key", "str", { abbreviation = "attribute.key", min = 1, max = 32, brief = true }),
        define("value", "str", { abbreviation = "attribute.value", max = 64, brief = true }),
    },
})
local bodies = define("bodies", "list", {
    items = {
        define("language", "str", { min = 2, max = 35, brief = true }),
        define("payload", "text", { abbreviation = "body.payload", min = 1, max = 5120 }),
    },
    brief = true,
})
local announcement = { [17] = define("announcement", "text", { min = 1, max = 4096 }), [19] = bodies }
local condition = define("condition", "str", { min = 1, max = 16384, brief = true })
local cursor_field = define("cursor", "u64", { notes = { ["0"] = "from the start" } })
local next_cursor = define("next", "u64", { notes = { ["0"] = "this was the last page" } })
local prefix = define("prefix", "str", { max = 200, brief = true, labelled = true })
local after = define("after", "str", { max = 200, brief = true, labelled = true, notes = FROM_START })
local next_name = define("next", "str", {
    abbreviation = "page.next", max = 200, notes = { [""] = "this was the last page" },
})
local page_limit = define("limit", "u32", { abbreviation = "page.limit" })
local unknown = define("unknown", "list", {
    items = { define("index", "u32", { abbreviation = "unknown.index" }) },
})
local listing = { app, prefix, after, page_limit }
local channel = define("channel", "str", { min = 1, max = 512, brief = true })
local storage_policy = define("storage_policy", "u8", { names = { "none", "most-recent" }, brief = true })
local change = define("changed", "u32", { brief = true })
local subscription = {
    request = { fixed = { app, topics, devices, groups }, tags = {} },
    answer = { fixed = { change, unknown }, tags = {} },
}

local push_type = define("push_type", "u8", { names = PUSH_TYPES, brief = true })
local lane = define("lane", "u8", { names = LANES })
local send_at = define("send_at", "u64", { time = "ms" })
local pace = define("pace", "u32", { brief = true })
local not_after = define("not_after", "u64", { time = "ms" })
local idempotency_key = define("key", "uuid")
local message_state = define("state", "u8", {
    abbreviation = "message_status.state", names = MESSAGE_STATES, brief = true,
})
local traceparent = define("traceparent", "str", { min = 55 })
local label = define("label", "str", { min = 1, max = 100, brief = true, labelled = true })
local sender = define("sender", "str", { min = 1, max = 255, brief = true, labelled = true })
local total = define("total", "u64", { abbreviation = "message_status.total" })
local accepted_at = define("accepted_at", "u64", { time = "ms" })
local event_kind = define("kind", "u16", { abbreviation = "event.kind", names = EVENTS, brief = true })
local receipt_kind = define("kind", "u8", {
    abbreviation = "receipt.kind", names = { "received", "opened" }, brief = true,
})
local credit = define("credit", "u64", { brief = true })
local subscriber_name = define("name", "str", { abbreviation = "subscriber", max = 64, brief = true })
local subscription_id = define("subscription", "u64", { brief = true })
local from = define("from", "str", { min = 1, max = 200, brief = true, labelled = true })
local device_page = { fixed = { next_cursor, device_ids }, tags = {} }
local acceptance = {
    fixed = {
        message_id,
        define("duplicate", "u8", { names = YES_NO }),
        define("total", "u32", { abbreviation = "send.total" }),
        define("ended", "u32"),
    },
    tags = {},
}

local statistics = {}

--- Returns a field of STATISTICS, carillon.statistics.<name> in the tree. Fields of one name share a field of the tree.
local function statistic(name, kind, options)
    if not statistics[name] then
        local entry = options or {}
        entry.abbreviation = "statistics." .. name
        statistics[name] = define(name, kind, entry)
    end
    return statistics[name]
end

-- The answer to a batch has 0 for an item that was done; an error never has it.
local RESULT_CODES = { [0] = "done" }
for number, name in pairs(ERRORS) do RESULT_CODES[number] = name end
local result_code = define("code", "u16", { names = RESULT_CODES, brief = true })
local code = variant(result_code, { names = ERRORS })

local REGISTER = {
    fixed = { app, environment, token_kind, token, seen_at },
    tags = {
        [17] = define("replaces", "token", { brief = true }), [18] = locale, [19] = topics, [20] = time_zone,
        [21] = groups, [23] = attributes, [25] = define("subscription", "text", { min = 1, max = 4096 }),
    },
}

--- A stored device.
local DEVICE = {
    fixed = {
        device_id, environment, token_kind, token,
        define("registered_at", "u64", { time = "ms" }),
        variant(seen_at, { notes = {} }),
        define("state", "u8", { abbreviation = "lookup.state", names = { "active", "quarantined" }, brief = true }),
    },
    tags = { [18] = locale, [20] = time_zone, [22] = attributes, [24] = muted },
}

local node = define("node", "str", { min = 1, max = 64, brief = true, labelled = true })

--- Every operation and control frame once, by opcode: its name and its payloads.
local OPERATIONS = {
    [0x0001] = {
        name = "HELLO",
        request = {
            fixed = {
                variant(software, { min = 1, max = 64 }),
                define("receive_limit", "u32", { notes = { ["0"] = "no wish" } }),
            },
            tags = {},
        },
        answer = {
            fixed = {
                software,
                define("epoch", "uuid"),
                define("clock", "u64", { time = "ms" }),
                define("frame_limit", "u32"),
                define("in_flight_limit", "u32"),
                define("batch_limit", "u32"),
                define("keepalive_ms", "u32"),
                define("ping_interval_ms", "u32"),
                define("idempotency_window_s", "u32"),
                define("authenticated", "u8", { names = { [0] = "no, AUTH must follow", [1] = "yes" } }),
                define("opcodes", "list", {
                    items = {
                        define("opcode", "u16", { abbreviation = "opcodes.opcode", open = OPCODES, brief = true }),
                        define("lowest layout", "u8", { abbreviation = "opcodes.lowest" }),
                        define("highest layout", "u8", { abbreviation = "opcodes.highest" }),
                    },
                }),
            },
            tags = {
                [20] = node,
                [22] = define("cluster", "uuid"),
            },
        },
    },
    [0x0002] = {
        name = "AUTH",
        request = {
            fixed = {
                define("method", "u8", { names = { "API key" }, brief = true }),
                define("credential", "secret", { min = 1, max = 256 }),
            },
            tags = {},
        },
        answer = {
            fixed = {
                define("principal", "str", { brief = true }),
                define("grants", "list", { items = { app, roles } }),
            },
            tags = {},
        },
    },
    [0x0003] = { name = "PING", control = { fixed = { define("opaque", "eight") } } },
    [0x0004] = {
        name = "GOAWAY",
        control = {
            fixed = {
                define("last_id", "u64", { notes = { [NO_LAST_ID] = "send no new request" }, brief = true }),
                code,
                define("grace_ms", "u32"),
                define("reconnect_after_ms", "u32"),
                define("reason", "str", { max = 512 }),
            },
            tags = {},
        },
    },
    [0x0005] = { name = "POSITION", control = { fixed = { define("position", "u64", { brief = true }) } } },
    [0x0010] = {
        name = "REGISTER",
        request = REGISTER,
        answer = { fixed = { device_id, register_result }, tags = {} },
    },
    [0x0011] = {
        name = "REGISTER_BATCH",
        request = { fixed = { define("items", "list", { nested = REGISTER, brief = true }) }, tags = {} },
        answer = {
            fixed = {
                define("results", "list", {
                    items = { result_code, device_id, register_result },
                    brief = true,
                }),
            },
            tags = {},
        },
    },
    [0x0012] = {
        name = "UNREGISTER",
        request = {
            fixed = { app, device, define("at", "u64", { time = "ms", notes = { ["0"] = "now" } }) },
            tags = {},
        },
        answer = {
            fixed = {
                device_id,
                define("result", "u8", {
                    abbreviation = "unregister.result", names = { "removed", "not-registered" }, brief = true,
                }),
            },
            tags = {},
        },
    },
    [0x0013] = {
        name = "LOOKUP",
        request = { fixed = { app, device }, tags = {} },
        answer = DEVICE,
    },
    [0x0014] = {
        name = "UPDATE_DEVICE",
        request = {
            fixed = { app, device },
            tags = { [18] = locale, [20] = time_zone, [23] = attributes, [25] = muted },
        },
        answer = { fixed = { device_id }, tags = {} },
    },
    [0x0015] = {
        name = "MEMBERSHIPS",
        request = { fixed = { app, device, after, page_limit }, tags = {} },
        answer = {
            fixed = {
                device_id,
                define("muted", "u8", {
                    abbreviation = "memberships.muted",
                    bits = bit_fields({ "muted.itself", "itself" }, { "muted.by_group", "by a group" }),
                }),
                variant(groups, { items = { group, muted } }),
                variant(topics, {
                    items = { topic, define("source", "str", { max = 200, notes = { [""] = "the device itself" } }) },
                }),
                next_name,
            },
            tags = {},
        },
    },
    [0x0016] = {
        name = "RESTORE",
        request = { fixed = { app, device }, tags = {} },
        answer = { fixed = { device_id }, tags = {} },
    },
    [0x0017] = {
        name = "QUARANTINE",
        request = { fixed = { app, cursor_field, page_limit }, tags = {} },
        answer = device_page,
    },
    [0x0020] = {
        name = "JOIN",
        request = { fixed = { app, group, devices }, tags = { [17] = announcement[17], [19] = bodies } },
        answer = { fixed = { define("joined", "u32", { brief = true }), message_id, unknown }, tags = {} },
    },
    [0x0021] = {
        name = "LEAVE",
        request = {
            fixed = { app, group, devices },
            tags = { [17] = define("clear_topics", "u8", { names = YES_NO, brief = true }) },
        },
        answer = { fixed = { define("left", "u32", { brief = true }), unknown }, tags = {} },
    },
    [0x0022] = {
        name = "SWITCH",
        request = {
            fixed = {
                app, device,
                from,
                define("to", "str", { min = 1, max = 200, brief = true, labelled = true }),
            },
            tags = { [17] = announcement[17], [19] = bodies },
        },
        answer = {
            fixed = {
                device_id,
                define("changed", "u8", {
                    abbreviation = "switch.changed",
                    bits = bit_fields({ "switch.left", "left" }, { "switch.joined", "joined" }),
                }),
                message_id,
            },
            tags = {},
        },
    },
    [0x0023] = {
        name = "GROUP_DEVICES",
        request = { fixed = { app, group, cursor_field, page_limit }, tags = {} },
        answer = device_page,
    },
    [0x0024] = {
        name = "GROUPS",
        request = { fixed = listing, tags = {} },
        answer = { fixed = { next_name, variant(groups, { items = { group, counted, muted } }) }, tags = {} },
    },
    [0x0025] = {
        name = "UPDATE_GROUP",
        request = { fixed = { app, group }, tags = { [25] = muted } },
        answer = { fixed = { counted }, tags = {} },
    },
    [0x0026] = {
        name = "GROUP_TOPICS",
        request = { fixed = { app, group, after, page_limit }, tags = {} },
        answer = { fixed = { next_name, topics }, tags = {} },
    },
    [0x0030] = { name = "SUBSCRIBE", request = subscription.request, answer = subscription.answer },
    [0x0031] = { name = "UNSUBSCRIBE", request = subscription.request, answer = subscription.answer },
    [0x0032] = {
        name = "TOPICS",
        request = { fixed = listing, tags = {} },
        answer = { fixed = { next_name, variant(topics, { items = { topic, counted } }) }, tags = {} },
    },
    [0x0033] = {
        name = "TOPIC_DEVICES",
        request = { fixed = { app, topic, cursor_field, page_limit }, tags = {} },
        answer = device_page,
    },
    [0x0040] = {
        name = "EXPLAIN",
        request = { fixed = { app, condition }, tags = {} },
        answer = {
            fixed = {
                condition, counted,
                define("sets", "list", { items = { define("set", "str", { brief = true }), counted } }),
            },
            tags = {},
        },
    },
    [0x0050] = {
        name = "SEND",
        request = {
            fixed = {
                app,
                idempotency_key,
                push_type,
                define("priority", "u8", {
                    names = { [0] = "usual of the push type", [1] = "least", [5] = "saving power", [10] = "at once" },
                }),
                define("audience", "u8", { names = AUDIENCES, brief = true }),
                devices,
                define("payload", "text", { max = 5120 }),
            },
            tags = {
                [17] = define("expiration", "u64", { time = "s", notes = { ["0"] = "try once" } }),
                [19] = define("collapse_id", "str", { min = 1, max = 64 }),
                [21] = not_after,
                [22] = lane,
                [23] = groups,
                [25] = topic,
                [27] = condition,
                [29] = bodies,
                [31] = define("except", "device"),
                [33] = define("dry_run", "u8", { names = YES_NO, brief = true, labelled = true }),
                [35] = send_at,
                [37] = pace,
                [39] = define("over_budget", "u8", { names = { "drop", "wait" } }),
                [41] = define("id_key", "str", { min = 1, max = 64 }),
                [43] = label,
                [45] = define("android", "text", { min = 1, max = 8192 }),
                [47] = define("android_raw", "text", { min = 1, max = 8192 }),
                [49] = define("web", "text", { min = 1, max = 4096 }),
                [51] = define("web_raw", "text", { min = 1, max = 4096 }),
                [61] = channel,
                [63] = environment,
                [66] = traceparent,
            },
        },
        answer = acceptance,
    },
    [0x0051] = {
        name = "MESSAGE_STATUS",
        request = { fixed = { app, message_id }, tags = {} },
        answer = {
            fixed = {
                message_state,
                accepted_at,
                define("finished_at", "u64", { time = "ms", notes = { ["0"] = "not finished" } }),
                total,
                define("outcomes", "list", {
                    items = {
                        variant(outcome, { brief = true }),
                        define("devices", "u64", { abbreviation = "outcomes.devices", brief = true }),
                    },
                }),
            },
            tags = {
                [16] = send_at, [18] = pace, [20] = define("rate", "u32"), [22] = define("remaining_ms", "u64"),
                [24] = define("received", "u64"), [26] = define("opened", "u64"),
                [28] = define("audience", "str", { abbreviation = "message_status.audience" }),
                [30] = label, [32] = sender,
                [34] = define("obstacles", "list", {
                    items = {
                        define("kind", "u8", {
                            abbreviation = "obstacle.kind", names = { "unreachable", "credential-refused" },
                            brief = true,
                        }),
                        define("credential", "str", { abbreviation = "obstacle.credential", brief = true }),
                        variant(environment, { brief = true }),
                        define("began_at", "u64", { abbreviation = "obstacle.began_at", time = "ms" }),
                        define("next_attempt_at", "u64", { abbreviation = "obstacle.next_attempt_at", time = "ms" }),
                        define("cause", "str", { abbreviation = "obstacle.cause", brief = true }),
                        define("reason", "str", { abbreviation = "obstacle.reason" }),
                    },
                    brief = true,
                }),
                [66] = traceparent,
            },
        },
    },
    [0x0052] = {
        name = "MESSAGE_OUTCOMES",
        request = {
            fixed = {
                app, message_id,
                cursor_field,
                page_limit,
            },
            tags = {},
        },
        answer = {
            fixed = {
                next_cursor,
                define("recipients", "list", {
                    items = { device_id, variant(outcome, { brief = true }) }, brief = true,
                }),
            },
            tags = {},
        },
    },
    [0x0053] = {
        name = "MESSAGES",
        request = {
            fixed = { app, define("before", "u64", { notes = { ["0"] = "from the newest" } }), page_limit },
            tags = { [17] = message_state, [19] = sender, [21] = label },
        },
        answer = {
            fixed = {
                next_cursor,
                define("messages", "list", {
                    items = {
                        message_id, message_state, accepted_at, push_type, lane, total,
                        define("ended", "u64", { abbreviation = "messages.ended" }),
                    },
                    brief = true,
                }),
            },
            tags = {
                [16] = define("details", "list", {
                    items = {
                        define("delivered", "u64", { abbreviation = "messages.delivered" }),
                        define("failed", "u64", { abbreviation = "messages.failed" }),
                        variant(label, { empty = true }), variant(sender, { empty = true }),
                    },
                }),
            },
        },
    },
    [0x0054] = {
        name = "UPDATE_MESSAGE",
        request = {
            fixed = {
                app, message_id,
                define("action", "u8", { names = { "cancel", "pause", "resume", "pace" }, brief = true }),
            },
            tags = { [37] = pace },
        },
        answer = { fixed = { message_state }, tags = {} },
    },
    [0x0055] = {
        name = "RESEND",
        request = {
            fixed = {
                app, message_id, idempotency_key,
                define("outcomes", "list", { abbreviation = "resend.outcomes", items = { outcome }, brief = true }),
            },
            tags = { [21] = not_after },
        },
        answer = acceptance,
    },
    [0x0056] = {
        name = "TRACE",
        request = { fixed = { app, message_id, device }, tags = {} },
        answer = {
            fixed = {
                device_id, message_state,
                define("addressing", "u8", {
                    names = { "recipient", "no-recipient", "would-be-recipient", "would-be-no-recipient" },
                    brief = true,
                }),
                variant(outcome, { brief = true }),
                define("flags", "u8", {
                    abbreviation = "trace.flags",
                    bits = bit_fields(
                        { "trace.quarantined", "the device is quarantined" },
                        { "trace.muted", "the device itself is muted" },
                        { "trace.has_body", "a body fits the language of the device" }),
                }),
            },
            tags = {
                [16] = define("sources", "list", {
                    items = {
                        define("kind", "u8", {
                            abbreviation = "source.kind", names = { "device", "group", "topic", "term", "all" },
                            brief = true,
                        }),
                        define("name", "str", { abbreviation = "source.name", brief = true }),
                        define("through", "str", { abbreviation = "source.through", brief = true, labelled = true }),
                    },
                    brief = true,
                }),
                [18] = define("muted_groups", "list", { items = { group }, brief = true }),
                [20] = define("language", "str", { abbreviation = "trace.language", brief = true, labelled = true }),
                [22] = define("silent_budget_left", "u32"),
                [24] = define("attempts", "list", {
                    items = {
                        define("at", "u64", { abbreviation = "attempt.at", time = "ms" }),
                        define("connection", "u32", {
                            abbreviation = "attempt.connection", notes = { ["0"] = "not written" },
                        }),
                        define("status", "u16", {
                            abbreviation = "attempt.status", notes = { ["0"] = "no answer" }, brief = true,
                        }),
                        define("reason", "str", { abbreviation = "attempt.reason", max = 64, brief = true }),
                    },
                    brief = true,
                }),
                [26] = define("next_attempt_at", "u64", { time = "ms" }),
                [30] = define("unique_ids", "list", {
                    items = { define("unique_id", "str", { max = 64 }) },
                }),
            },
        },
    },
    [0x0060] = {
        name = "SUBSCRIBE_EVENTS",
        request = {
            fixed = {
                subscriber_name,
                define("from", "u64", {
                    abbreviation = "events.from", notes = { ["0"] = "where the name is", [NO_LAST_ID] = "now" },
                }),
                define("apps", "list", { items = { app }, brief = true }),
                define("kinds", "list", { items = { event_kind }, brief = true }),
                credit,
            },
            tags = {},
        },
        answer = {
            fixed = { define("after", "u64", { abbreviation = "events.after", brief = true }) }, tags = {},
        },
        event = {
            fixed = {
                define("sequence", "u64", { brief = true }),
                define("at", "u64", { abbreviation = "event.at", time = "ms" }),
                event_kind,
            },
            tags = {
                [16] = app, [18] = message_id, [20] = device_id, [22] = variant(outcome, { brief = true }),
                [24] = define("count", "u64"), [26] = define("text", "str", { max = 255, brief = true }),
                [28] = define("missed_from", "u64", { brief = true }),
                [30] = define("missed_to", "u64", { brief = true }),
                [66] = traceparent,
            },
        },
    },
    [0x0061] = {
        name = "EVENT_CREDIT",
        request = { fixed = { subscription_id, credit, define("ack", "u64", { brief = true }) }, tags = {} },
        answer = { fixed = {}, tags = {} },
    },
    [0x0062] = {
        name = "UNSUBSCRIBE_EVENTS",
        request = { fixed = { subscription_id }, tags = {} },
        answer = { fixed = {}, tags = {} },
    },
    [0x0063] = {
        name = "FORGET_SUBSCRIBER",
        request = { fixed = { subscriber_name }, tags = {} },
        answer = {
            fixed = {
                define("result", "u8", {
                    abbreviation = "forget.result", names = { "forgotten", "no such name" }, brief = true,
                }),
            },
            tags = {},
        },
    },
    [0x0070] = {
        name = "RECEIPTS",
        request = {
            fixed = {
                app, define("receipts", "list", { items = { message_id, device, receipt_kind }, brief = true }),
            },
            tags = {},
        },
        answer = { fixed = { define("counted", "u32", { brief = true }), unknown }, tags = {} },
    },
    [0x0071] = {
        name = "RECEIPT_DEVICES",
        request = { fixed = { app, message_id, receipt_kind, cursor_field, page_limit }, tags = {} },
        answer = device_page,
    },
    [0x0080] = {
        name = "STATISTICS",
        request = { fixed = { page_limit }, tags = {} },
        answer = {
            fixed = {
                statistic("at", "u64", { time = "ms" }), statistic("started_at", "u64", { time = "ms" }), software,
                statistic("clients", "u32", { brief = true }), statistic("half_open", "u32"),
                statistic("requests", "list", {
                    items = {
                        statistic("opcode", "u16", { open = OPCODES }),
                        statistic("code", "u16", { open = RESULT_CODES }),
                        statistic("count", "u64"), statistic("micros", "u64"),
                    },
                }),
                statistic("queued_changes", "u32"), statistic("batches", "u64"), statistic("changes", "u64"),
                statistic("batch_micros", "u64"),
                statistic("latest_batches", "list", { items = { statistic("batch", "u32") } }),
                statistic("lanes", "list", {
                    items = {
                        lane, statistic("messages", "u32"), statistic("waiting", "u32"), statistic("delayed", "u32"),
                        statistic("in_flight", "u32"),
                    },
                }),
                statistic("unrecorded", "u32"),
                statistic("sending", "list", {
                    items = {
                        variant(message_id, { brief = false }), variant(app, { brief = false }), lane, accepted_at,
                        total, statistic("ended", "u64"), statistic("in_flight", "u32"), statistic("rate", "u32"),
                    },
                    brief = true,
                }),
                statistic("outcomes", "list", { items = { outcome, statistic("devices", "u64") } }),
                statistic("pools", "list", {
                    items = {
                        statistic("credential", "str"), environment, statistic("parked", "u8", { names = YES_NO }),
                        statistic("opening", "u32"), statistic("open", "u32"), statistic("draining", "u32"),
                        statistic("in_flight", "u32"), statistic("streams", "u32"),
                        statistic("throttle", "u32", { notes = { ["0"] = "no bound" } }), statistic("attempts", "u64"),
                    },
                    brief = true,
                }),
                statistic("answers", "list", {
                    items = {
                        statistic("pool", "u32"), statistic("status", "u16"), statistic("reason", "str"),
                        statistic("count", "u64"),
                    },
                }),
            },
            tags = {
                [16] = statistic("database_bytes", "u64"), [18] = statistic("free_bytes", "u64"),
                [20] = statistic("map_bytes", "u64"), [22] = statistic("limit_bytes", "u64"),
                [24] = statistic("readers", "u32"), [26] = statistic("reader_age_commits", "u64"),
                [28] = statistic("kept", "u64"),
                [30] = statistic("unfinished", "u64"), [32] = statistic("scheduled", "u64"),
                [34] = statistic("counted_at", "u64", { time = "ms" }),
                [36] = statistic("apps", "list", {
                    items = {
                        variant(app, { brief = false }), statistic("devices", "u64"), statistic("quarantined", "u64"),
                        statistic("groups", "u64"), statistic("topics", "u64"),
                    },
                    brief = true,
                }),
                [38] = statistic("failures", "list", {
                    items = {
                        statistic("pool", "u32"), statistic("unreachable", "u8"), statistic("count", "u64"),
                        statistic("last_at", "u64", { time = "ms" }), statistic("reason", "str"),
                    },
                    brief = true,
                }),
                [40] = statistic("outages", "list", {
                    items = {
                        statistic("pool", "u32"), statistic("began_at", "u64", { time = "ms" }),
                        statistic("next_attempt_at", "u64", { time = "ms" }), statistic("cause", "str"),
                    },
                    brief = true,
                }),
                [44] = statistic("nodes", "list", {
                    items = {
                        statistic("node", "str"), statistic("incarnation", "u64"), statistic("over", "u8"),
                        statistic("position", "u64"), statistic("hash", "uuid"), statistic("silent_ms", "u32"),
                        statistic("lease_ms", "u32"), statistic("format", "u16"), statistic("version", "str"),
                        statistic("address", "str"),
                    },
                    brief = true,
                }),
                [46] = statistic("log_position", "u64"),
                [48] = statistic("log_entries", "u64"),
                [50] = statistic("snapshot_position", "u64"),
                [52] = statistic("claims", "list", {
                    items = {
                        statistic("messages", "u32"), statistic("blocks", "u32"), statistic("pages", "u64"),
                    },
                    brief = true,
                }),
                [54] = statistic("devices_by_provider", "list", {
                    items = { statistic("apns", "u64"), statistic("fcm", "u64"), statistic("web", "u64") },
                    brief = true,
                }),
            },
        },
    },
    [0x0081] = {
        name = "DEVICES",
        request = { fixed = { app, cursor_field, page_limit }, tags = {} },
        answer = { fixed = { next_cursor, variant(devices, { nested = DEVICE }) }, tags = {} },
    },
    [0x0082] = {
        name = "REMOVE_NODE",
        request = { fixed = { node }, tags = {} },
        answer = { fixed = { define("incarnation", "u64", { brief = true }) }, tags = {} },
    },
    [0x0090] = {
        name = "CREATE_CHANNEL",
        request = { fixed = { app, environment, storage_policy }, tags = {} },
        answer = { fixed = { channel }, tags = {} },
    },
    [0x0091] = {
        name = "CHANNEL",
        request = { fixed = { app, environment, channel }, tags = {} },
        answer = { fixed = { storage_policy }, tags = {} },
    },
    [0x0092] = {
        name = "CHANNELS",
        request = { fixed = { app, environment, variant(after, { max = 512 }), page_limit }, tags = {} },
        answer = {
            fixed = {
                variant(next_name, { max = 512 }), define("channels", "list", { items = { channel }, brief = true }),
            },
            tags = {},
        },
    },
    [0x0093] = {
        name = "DELETE_CHANNEL",
        request = { fixed = { app, environment, channel }, tags = {} },
        answer = {
            fixed = {
                define("result", "u8", {
                    abbreviation = "channel.deleted", names = { "deleted", "no such channel" }, brief = true,
                }),
            },
            tags = {},
        },
    },
}

for opcode, operation in pairs(OPERATIONS) do
    OPCODES[opcode] = operation.name
    if operation.request then operation.request.tags[2] = deadline_ms end
end
header.opcode = proto_field(ProtoField.uint16, "frame.opcode", "Opcode", base.HEX, OPCODES)

local ERROR = {
    fixed = {
        code,
        define("scope", "u8", { names = { [0] = "request", [1] = "connection" }, brief = true }),
        define("effect", "u8", { names = { [0] = "not_executed", [1] = "unknown", [2] = "executed" } }),
        define("retry_after_ms", "u32", { notes = { ["0"] = "at once", [NEVER] = "never" } }),
        define("message", "str", { max = 512, brief = true }),
    },
    tags = {
        [2] = define("field", "str", { brief = true, labelled = true }),
        [4] = define("limit", "u64", { abbreviation = "error.limit" }),
        [6] = define("item", "u32"),
        [8] = define("column", "u32", { brief = true, labelled = true }),
        [10] = define("reason", "str", { abbreviation = "error.reason", max = 64, brief = true, labelled = true }),
    },
}

local ping_data = proto_field(ProtoField.bytes, "ping", "Data to send back")

carillon.fields = registered
carillon.experts = {}
for _, info in pairs(experts) do table.insert(carillon.experts, info) end

---------------------------------------------------------------------------------------------------------------------
-- Cursor: reads a payload within its bounds and ends at the first fault

local Cursor = {}
Cursor.__index = Cursor

function Cursor.new(tvb, offset, stop, tree)
    return setmetatable({ tvb = tvb, offset = offset, stop = stop, tree = tree, brief = {}, ended = false }, Cursor)
end

function Cursor:left()
    return self.stop - self.offset
end

--- Ends reading. Only the first fault of a payload is shown.
function Cursor:fault(text)
    if not self.ended then
        self.ended, self.faulty = true, true
        self.tree:add_proto_expert_info(self.expert or experts.malformed, text)
    end
end

--- Returns the next bytes as a range, nil if the payload does not have them.
function Cursor:take(count, name)
    if self.ended then return nil end
    if count > self:left() then
        self:fault(string.format("%s: %.0f bytes wanted, %d left", name, count, self:left()))
        return nil
    end
    local range = self.tvb(self.offset, count)
    self.offset = self.offset + count
    return range
end

--- Returns a uvarint (§4.2) and its range, nil after a fault.
function Cursor:uvarint(name)
    local start, value, factor = self.offset, 0, 1
    for index = 1, 5 do
        local byte = self:take(1, name)
        if not byte then return nil end
        local number = byte:uint()
        value = value + (number % 128) * factor
        factor = factor * 128
        if number < 128 then
            if (number == 0 and index > 1) or value > 4294967295 then
                self:fault(name .. ": uvarint not in its shortest form or above 32 bits")
                return nil
            end
            return value, self.tvb(start, index)
        end
    end
    self:fault(name .. ": uvarint longer than 5 bytes")
    return nil
end

---------------------------------------------------------------------------------------------------------------------
-- Values

local function raw(range)
    return range:len() > 0 and range:raw() or ""
end

--- Returns the bytes of the UTF-8 sequence at a position; nil if there is none, or U+0000.
local function length_of_sequence(text, position)
    local first, second = text:byte(position, position + 1)
    if first < 0x80 then return first > 0 and 1 or nil end
    if not second then return nil end
    local low, high = 0x80, 0xBF
    local length
    if first >= 0xC2 and first <= 0xDF then length = 2
    elseif first >= 0xE0 and first <= 0xEF then length = 3
    elseif first >= 0xF0 and first <= 0xF4 then length = 4
    else return nil end
    if first == 0xE0 then low = 0xA0 elseif first == 0xED then high = 0x9F
    elseif first == 0xF0 then low = 0x90 elseif first == 0xF4 then high = 0x8F end
    if second < low or second > high then return nil end
    for index = position + 2, position + length - 1 do
        local byte = text:byte(index)
        if not byte or byte < 0x80 or byte > 0xBF then return nil end
    end
    return length
end

--- Returns true if the bytes are a `str` of §4.1: UTF-8 without U+0000, overlong forms and surrogates.
local function is_text(text)
    if not text:find("[%z\128-\255]") then return true end
    local position = 1
    while position <= #text do
        local length = length_of_sequence(text, position)
        if not length then return false end
        position = position + length
    end
    return true
end

--- Returns a short form for the info column, without control characters.
local function shorten(text)
    text = text:gsub("%c", ".")
    if #text <= MAXIMUM_INFO_TEXT_BYTES then return text end
    local cut = MAXIMUM_INFO_TEXT_BYTES
    while cut > 1 and (text:byte(cut + 1) or 0) >= 0x80 and (text:byte(cut + 1) or 0) < 0xC0 do cut = cut - 1 end
    return text:sub(1, cut) .. "…"
end

local function hex_prefix(range)
    local shown = math.min(range:len(), 4)
    local text = raw(range):sub(1, shown):gsub(".", function(byte) return string.format("%02x", byte:byte()) end)
    return shown < range:len() and text .. "…" or text
end

local function add_brief(cursor, entry, text)
    if entry.brief then table.insert(cursor.brief, text) end
end

local function describe_time(entry, value)
    if not entry.time then return nil end
    local seconds = tonumber(tostring(value))
    if entry.time == "ms" then seconds = math.floor(seconds / 1000) end
    if seconds > LAST_PRINTABLE_SECOND then return "beyond the year 9999" end
    return os.date("!%Y-%m-%d %H:%M:%S UTC", seconds)
end

local function show_number(cursor, entry, range)
    local item = cursor.tree:add(entry.field, range)
    local value = range:len() > 4 and range:uint64() or range:uint()
    local text = tostring(value)
    local note = entry.notes and entry.notes[text] or describe_time(entry, value)
    local open = entry.open and entry.open[value]
    if note or open then item:append_text(" (" .. (note or open) .. ")") end
    if entry.names and not entry.names[value] then
        item:add_proto_expert_info(experts.unknown, entry.name .. " " .. text .. " has no meaning in version 1")
    end
    for _, bit in ipairs(entry.bits or {}) do item:add(bit, range) end
    local name = open or entry.names and entry.names[value]
    add_brief(cursor, entry, name and (entry.labelled and entry.name .. " " or "") .. name or entry.name .. " " .. text)
end

local function check_size(item, entry, size)
    if size == 0 and entry.empty then return end
    if size < (entry.min or 0) or size > (entry.max or math.huge) then
        local text = "%s of %d bytes, allowed are %d to %d"
        item:add_proto_expert_info(experts.invalid, text:format(entry.name, size, entry.min or 0, entry.max))
    end
end

local function show_text(cursor, entry, range)
    local item = cursor.tree:add_packet_field(entry.field, range, ENC_UTF_8)
    check_size(item, entry, range:len())
    if not is_text(raw(range)) then cursor:fault(entry.name .. ": not UTF-8 (§4.1)") end
    local note = entry.notes and entry.notes[raw(range)]
    if note then item:append_text(" (" .. note .. ")") end
    local label = entry.labelled and entry.name .. " " or ""
    add_brief(cursor, entry, label .. (range:len() > 0 and shorten(range:string(ENC_UTF_8)) or '""'))
end

--- Shows a JSON payload. Its faults are INVALID_ARGUMENT, not MALFORMED.
local function show_json(cursor, entry, range)
    local item = cursor.tree:add_packet_field(entry.field, range, ENC_UTF_8)
    check_size(item, entry, range:len())
    if not is_text(raw(range)) then item:add_proto_expert_info(experts.invalid, entry.name .. ": not UTF-8") end
end

--- Shows the length only, so that a printed capture does not contain an API key.
local function show_secret(cursor, entry, range)
    local item = cursor.tree:add(entry.field, range)
    item:set_text(string.format("%s: %d bytes, not shown", entry.name, range:len()))
    check_size(item, entry, range:len())
end

local function show_token(cursor, entry, range)
    cursor.tree:add(entry.field, range)
    if range:len() < 1 or range:len() > 255 then
        cursor:fault(entry.name .. " is not of 1 to 255 bytes")
    end
    add_brief(cursor, entry, entry.name .. " " .. hex_prefix(range))
end

local function show_plain(cursor, entry, range)
    cursor.tree:add(entry.field, range)
end

--- width: bytes of a fixed size; prefix: bytes of the length before the value (absent in a tagged field).
local TYPES = {
    u8 = { width = 1, show = show_number },
    u16 = { width = 2, show = show_number },
    u32 = { width = 4, show = show_number },
    u64 = { width = 8, show = show_number },
    uuid = { width = 16, show = show_plain },
    str = { prefix = 2, show = show_text },
    text = { prefix = 4, show = show_json },
    bytes = { prefix = 4, show = show_plain },
    secret = { prefix = 4, show = show_secret },
    token = { prefix = 1, show = show_token },
    eight = {
        width = 8,
        show = function(cursor, _, range) cursor.tree:add(ping_data, range) end,
    },
}

local MINIMUM_DEVICE_BYTES = 5  -- a token of one byte, with its length, kind and environment, and the form

local function minimum_bytes(entries)
    local size = 0
    for _, entry in ipairs(entries) do
        local kind = TYPES[entry.type]
        size = size + (kind and (kind.width or kind.prefix) or MINIMUM_DEVICE_BYTES)
    end
    return size
end

---------------------------------------------------------------------------------------------------------------------
-- Payloads

local read_payload

local function read_value(cursor, entry)
    local kind = TYPES[entry.type]
    local size = kind.width
    if not size then
        local prefix = cursor:take(kind.prefix, entry.name)
        if not prefix then return end
        size = prefix:uint()
    end
    local range = cursor:take(size, entry.name)
    if range then kind.show(cursor, entry, range) end
end

--- Reads a `device` (§4.1) into the tree of the cursor.
local function read_device(cursor)
    local first = cursor:take(1, "device")
    if not first then return end
    show_number(cursor, form, first)
    if first:uint() == 1 then
        for _, entry in ipairs({ environment, token_kind, token }) do read_value(cursor, entry) end
    elseif first:uint() == 2 then
        read_value(cursor, device_id)
    else
        cursor:fault("device: form " .. first:uint() .. " is neither by token nor by id")
    end
end

local function read_nested(cursor, schema)
    local prefix = cursor:take(4, "item")
    if not prefix then return end
    local range = cursor:take(prefix:uint(), "item")
    if not range then return end
    local inner = Cursor.new(cursor.tvb, cursor.offset - range:len(), cursor.offset, cursor.tree)
    inner.expert = experts.item -- the server refuses the item only, §7.2
    read_payload(inner, schema, true)
    cursor.brief = inner.brief
end

local function read_list_item(cursor, entry, index, branch)
    local start, outer_tree, outer_brief = cursor.offset, cursor.tree, cursor.brief
    local item = branch:add(cursor.tvb(start, 0), string.format("[%d]", index))
    cursor.tree, cursor.brief = item, {}
    if entry.nested then
        read_nested(cursor, entry.nested)
    else
        for _, field in ipairs(entry.items) do
            if field.type == "device" then read_device(cursor) else read_value(cursor, field) end
        end
    end
    item:set_len(cursor.offset - start)
    if #cursor.brief > 0 then item:append_text(" " .. table.concat(cursor.brief, ", ")) end
    cursor.tree, cursor.brief = outer_tree, outer_brief
end

local function read_list(cursor, entry)
    local start = cursor.offset
    local prefix = cursor:take(4, entry.name)
    if not prefix then return end
    local count = prefix:uint()
    local branch = cursor.tree:add(entry.field, prefix)
    add_brief(cursor, entry, count .. " " .. entry.name)
    local item_bytes = entry.nested and 4 or minimum_bytes(entry.items)
    if count * item_bytes > cursor:left() then
        return cursor:fault(string.format("%s: %.0f items cannot be in %d bytes", entry.name, count, cursor:left()))
    end
    for index = 0, count - 1 do
        if cursor.ended then break end
        if index == MAXIMUM_SHOWN_ITEMS then
            branch:add_proto_expert_info(experts.cut, "The rest of this payload is not shown")
            cursor.ended = true
            break
        end
        read_list_item(cursor, entry, index, branch)
    end
    branch:set_len(cursor.offset - start)
end

local function read_unknown_tag(branch, tag, range, strict)
    local item = branch:add(section.unknown, range)
    if strict and tag % 2 == 1 then
        item:add_proto_expert_info(experts.invalid, "Unknown odd tag: the request is refused with UNSUPPORTED_FIELD")
    else
        item:add_proto_expert_info(experts.unknown, "Unknown tag: skipped")
    end
end

--- Reads a `list` or `device` that is the whole value of a tagged field.
local function read_whole(cursor, entry, range, tree)
    local inner = Cursor.new(cursor.tvb, cursor.offset - range:len(), cursor.offset, tree)
    inner.brief, inner.expert = cursor.brief, cursor.expert
    if entry.type == "list" then read_list(inner, entry) else read_device(inner) end
    if not inner.ended and inner:left() > 0 then
        inner:fault(entry.name .. ": " .. inner:left() .. " bytes left over")
    end
    cursor.ended, cursor.faulty = inner.ended, inner.faulty
end

--- Reads one field of the tagged section. Returns its tag, nil after a fault.
local function read_tagged_field(cursor, branch, tags, strict, last_tag)
    local start, outer_tree = cursor.offset, cursor.tree
    local tag, tag_range = cursor:uvarint("tag")
    if not tag then return nil end
    if tag <= last_tag then
        cursor:fault(string.format("tag %.0f after tag %.0f: tags ascend strictly", tag, last_tag))
        return nil
    end
    local size, size_range = cursor:uvarint("size of a tagged field")
    local range = size and cursor:take(size, string.format("tag %.0f", tag))
    if not range then return nil end
    local entry = tags[tag]
    local item = branch:add(cursor.tvb(start, cursor.offset - start),
        string.format("Tag %.0f: %s", tag, entry and entry.name or "unknown"))
    item:add(section.tag, tag_range, tag)
    item:add(section.size, size_range, size)
    local kind = entry and TYPES[entry.type]
    local width = kind and kind.width
    if not entry then
        read_unknown_tag(item, tag, range, strict)
    elseif not kind then
        read_whole(cursor, entry, range, item)
    elseif width and width ~= size then
        cursor:fault(string.format("%s: a size of %.0f does not fit its type", entry.name, size))
    else
        cursor.tree = item
        kind.show(cursor, entry, range)
        cursor.tree = outer_tree
    end
    return tag
end

local function read_tagged_section(cursor, tags, strict)
    if cursor.ended or cursor:left() == 0 then return end
    local start = cursor.offset
    local count, range = cursor:uvarint("number of tagged fields")
    if not count then return end
    local branch = cursor.tree:add(section.count, range, count)
    if count > MAXIMUM_TAGGED_FIELDS then
        return cursor:fault(string.format("more than %d tagged fields", MAXIMUM_TAGGED_FIELDS))
    end
    local last_tag = -1
    for _ = 1, count do
        last_tag = read_tagged_field(cursor, branch, tags, strict, last_tag)
        if not last_tag or cursor.ended then break end
    end
    branch:set_len(cursor.offset - start)
end

--- Reads the fixed part and the tagged section. strict: an unknown odd tag is a fault (§4.2).
function read_payload(cursor, schema, strict)
    for _, entry in ipairs(schema.fixed) do
        if cursor.ended then break end
        if entry.type == "list" then
            read_list(cursor, entry)
        elseif entry.type == "device" then
            read_device(cursor)
        else
            read_value(cursor, entry)
        end
    end
    if schema.tags then read_tagged_section(cursor, schema.tags, strict) end
    if not cursor.ended and cursor:left() > 0 then
        cursor:fault(cursor:left() .. " bytes left over at the end of the payload")
    end
end

---------------------------------------------------------------------------------------------------------------------
-- Connections: which side is the client, which request an answer belongs to

local tcp_stream = Field.new("tcp.stream")
local connections = {}

function carillon.init()
    connections = {}
end

local function connection_of()
    local streams = { tcp_stream() }
    local key = #streams > 0 and streams[#streams].value or -1
    if not connections[key] then connections[key] = { preface = {}, lost = {}, requests = {} } end
    return connections[key]
end

local function sender_of(pinfo)
    return tostring(pinfo.src) .. " " .. tostring(pinfo.src_port)
end

--- Returns the request of an id. Records it when its packet is seen for the first time, with what is wrong with its id.
local function record_request(connection, pinfo, id)
    local key = tostring(id)
    local known = connection.requests[key]
    if pinfo.visited then
        return known
    elseif known then
        known.repeated = known.repeated or {}
        known.repeated[pinfo.number] = true
        return known
    end
    local highest = connection.highest_id
    local request = { number = pinfo.number, time = pinfo.rel_ts, late = highest ~= nil and id < highest }
    if not request.late then connection.highest_id = id end
    connection.requests[key] = request
    return request
end

local function show_request(connection, pinfo, tree, id, id_item, opcode)
    local request = record_request(connection, pinfo, id)
    if not request then return end
    request.opcode = request.opcode or opcode
    if request.number ~= pinfo.number or (request.repeated and request.repeated[pinfo.number]) then
        id_item:add_proto_expert_info(experts.order, "Request id repeated (BAD_REQUEST_ID)")
    elseif request.late then
        id_item:add_proto_expert_info(experts.order, "Request id not greater than every earlier one (BAD_REQUEST_ID)")
    end
    if request.answer then tree:add(header.answer_in, request.answer):set_generated() end
end

local function show_answer(connection, pinfo, tree, id, id_item, opcode)
    local key = tostring(id)
    if key == "0" then return end
    local request = connection.requests[key]
    if not request then
        if connection.highest_id then
            id_item:add_proto_expert_info(experts.order, "Answer to a request that is not in this capture")
        end
        return
    end
    if not request.answer then request.answer = pinfo.number end
    if request.answer ~= pinfo.number then
        id_item:add_proto_expert_info(experts.order, "Second answer to a request")
    end
    if request.opcode ~= opcode then
        id_item:add_proto_expert_info(experts.order, "Opcode differs from that of the request")
    end
    tree:add(header.request_in, request.number):set_generated()
    local elapsed = math.max(pinfo.rel_ts - request.time, 0)
    local seconds = math.floor(elapsed)
    tree:add(header.time, NSTime.new(seconds, math.floor((elapsed - seconds) * 1e9 + 0.5))):set_generated()
end

--- Links an event to the request that has subscribed to it (§11.2).
local function show_event(connection, tree, id, id_item)
    local request = connection.requests[tostring(id)]
    if request then
        tree:add(header.request_in, request.number):set_generated()
    elseif connection.highest_id then
        id_item:add_proto_expert_info(experts.order, "Event of a subscription that is not in this capture")
    end
end

---------------------------------------------------------------------------------------------------------------------
-- Frames

local function check_header(connection, sender, frame, kind_item, flags_item, id_item)
    local from_client, from_server = connection.client == sender, connection.client and connection.client ~= sender
    if not KINDS[frame.kind] then
        kind_item:add_proto_expert_info(experts.framing, "Unknown kind")
    elseif (from_client and frame.kind ~= 1 and frame.kind ~= 5) or (from_server and frame.kind == 1) then
        kind_item:add_proto_expert_info(experts.framing, "A kind that this side may not send")
    end
    local may_ack = frame.kind == 5 and frame.opcode == 0x0003
    if frame.flag_bits > 1 or (frame.flag_bits == 1 and not may_ack) then
        flags_item:add_proto_expert_info(experts.framing, "Unknown flag")
    end
    if frame.layout > 1 then
        flags_item:add_proto_expert_info(experts.unknown, "Layout " .. frame.layout .. " is not of version 1")
    end
    local is_zero = tostring(frame.id) == "0"
    if frame.kind == 1 and is_zero then
        id_item:add_proto_expert_info(experts.framing, "A request has an id (BAD_REQUEST_ID)")
    elseif frame.kind == 5 and not is_zero then
        id_item:add_proto_expert_info(experts.framing, "A control frame has id 0")
    elseif (frame.kind == 2 or frame.kind == 4) and is_zero then
        id_item:add_proto_expert_info(experts.framing, "An answer or event has the id of its request")
    end
end

--- Returns the schema of a payload, nil if version 1 does not define it.
local function schema_of(frame, from_client)
    if from_client and frame.opcode == 0x0004 then return nil end -- ignored, §6.4
    if frame.kind == 3 then return ERROR end
    local operation = OPERATIONS[frame.opcode]
    if not operation or frame.layout > 1 then return nil end
    return operation[KINDS[frame.kind] or ""]
end

local function show_payload(tvb, offset, frame, tree, from_client)
    local stop = offset + frame.length
    local schema = schema_of(frame, from_client)
    local cursor = Cursor.new(tvb, offset, stop, tree)
    if schema then
        read_payload(cursor, schema, frame.kind == 1 and frame.opcode ~= 0x0001)
    else
        tree:add_proto_expert_info(experts.unknown, "No such frame from this side in version 1: payload not read")
    end
    if (not schema or cursor.ended) and cursor:left() > 0 then
        tree:add(undecoded, tvb(cursor.offset, cursor:left()))
    end
    return cursor
end

local function read_header(tvb, offset)
    local flags = tvb(offset + 5, 1):uint()
    return {
        length = tvb(offset, 4):uint(), kind = tvb(offset + 4, 1):uint(), flag_bits = flags % 16,
        layout = math.floor(flags / 16) + 1, opcode = tvb(offset + 6, 2):uint(), id = tvb(offset + 8, 8):uint64(),
    }
end

local function describe_frame(frame, cursor)
    local name = OPCODES[frame.opcode] or string.format("opcode 0x%04x", frame.opcode)
    if frame.kind == 3 and frame.opcode == 0 then name = "Connection" end
    local parts = { name }
    if frame.kind == 5 then
        if frame.flag_bits == 1 then parts[2] = "ACK" end
    else
        parts[2] = KINDS[frame.kind] or "kind " .. frame.kind
        parts[3] = "id " .. tostring(frame.id)
    end
    local text = table.concat(parts, " ")
    if #cursor.brief > 0 then text = text .. ": " .. table.concat(cursor.brief, ", ") end
    return cursor.faulty and text .. " [malformed]" or text
end

--- Shows one whole frame. Returns its text for the info column.
local function dissect_frame(tvb, offset, pinfo, root, connection, sender)
    local frame = read_header(tvb, offset)
    local tree = root:add(carillon, tvb(offset, HEADER_SIZE + frame.length))
    local name = OPCODES[frame.opcode] or "unknown"
    tree:add(header.length, tvb(offset, 4))
    local kind_item = tree:add(header.kind, tvb(offset + 4, 1))
    local flags_item = tree:add(header.flags, tvb(offset + 5, 1))
    flags_item:add(header.ack, tvb(offset + 5, 1))
    flags_item:add(header.layout, tvb(offset + 5, 1), frame.layout)
    tree:add(header.opcode, tvb(offset + 6, 2))
    local id_item = tree:add(header.id, tvb(offset + 8, 8))
    tree:add(header.message, tvb(offset + 6, 2), name):set_generated()
    if not connection.client and frame.kind == 1 then connection.client = sender end
    check_header(connection, sender, frame, kind_item, flags_item, id_item)
    if frame.kind == 1 then
        show_request(connection, pinfo, tree, frame.id, id_item, frame.opcode)
    elseif frame.kind == 2 or frame.kind == 3 then
        show_answer(connection, pinfo, tree, frame.id, id_item, frame.opcode)
    elseif frame.kind == 4 then
        show_event(connection, tree, frame.id, id_item)
    end
    local cursor = show_payload(tvb, offset + HEADER_SIZE, frame, tree, connection.client == sender)
    local text = describe_frame(frame, cursor)
    if frame.kind == 3 then tree:add_proto_expert_info(experts.refused, text) end
    tree:set_text("Carillon, " .. text)
    return text
end

local function check_preface(tree, client, first, second, reserved)
    if reserved:find("[^%z]") or (not client and second ~= 0) then
        tree:add_proto_expert_info(experts.malformed, "A reserved byte of the preface is not 0")
    end
    if client and (first == 0 or first > second) then
        tree:add_proto_expert_info(experts.malformed, "The versions of the preface are not a range")
    elseif client and first > 1 then
        tree:add_proto_expert_info(experts.unknown, "Version 1 is not offered")
    elseif not client and first == 0 then
        tree:add_proto_expert_info(experts.refused, "The server has chosen no version")
    end
end

local function dissect_preface(tvb, offset, pinfo, root, connection, sender)
    -- The server never sends first, so the first preface of a connection is the client's.
    connection.client = connection.client or sender
    local client = connection.client == sender
    local tree = root:add(carillon, tvb(offset, PREFACE_SIZE))
    local first, second = tvb(offset + 8, 1):uint(), tvb(offset + 9, 1):uint()
    tree:add(preface.magic, tvb(offset, 8))
    local text
    if client then
        tree:add(preface.lowest, tvb(offset + 8, 1))
        tree:add(preface.highest, tvb(offset + 9, 1))
        text = string.format("Client preface, versions %d to %d", first, second)
    else
        tree:add(preface.version, tvb(offset + 8, 1))
        text = "Server preface, version " .. first
    end
    tree:add(preface.reserved, tvb(offset + 10, 6))
    tree:set_text("Carillon, " .. text)
    check_preface(tree, client, first, second, raw(tvb(offset + 10, 6)))
    connection.preface[sender] = connection.preface[sender] or pinfo.number
    if connection.preface[sender] ~= pinfo.number then
        tree:add_proto_expert_info(experts.order, "A second preface in this direction")
    end
    return text
end

---------------------------------------------------------------------------------------------------------------------
-- The stream of bytes

local function show_lost(tvb, offset, root, text)
    local tree = root:add(carillon, tvb(offset), "Carillon, " .. text)
    tree:add(undecoded, tvb(offset))
    tree:add_proto_expert_info(experts.framing, text)
    return text
end

local function show_cut(tvb, offset, root)
    local text = "Part of a frame"
    local tree = root:add(carillon, tvb(offset), "Carillon, " .. text)
    tree:add(undecoded, tvb(offset))
    tree:add_proto_expert_info(experts.cut, "The capture or the settings of TCP do not let the frame be put together")
    return text
end

--- Returns true if bytes on a connection without a seen preface can be the beginning of a preface or of a frame.
local function is_plausible(tvb)
    local bytes = tvb:len()
    local beginning = tvb(0, math.min(bytes, #MAGIC)):raw()
    if beginning == MAGIC:sub(1, #beginning) then return true end
    if bytes < HEADER_SIZE then return tvb(0, 1):uint() * 16777216 <= carillon.prefs.frame_limit end
    local frame = read_header(tvb, 0)
    return frame.length <= carillon.prefs.frame_limit and KINDS[frame.kind] ~= nil and frame.flag_bits <= 1
end

--- Returns the bytes of the preface or frame at the offset and whether it is a preface; nil if a frame is longer than
--- the limit.
local function size_at(tvb, offset)
    if tvb(offset, #MAGIC):raw() == MAGIC then return PREFACE_SIZE, true end
    local length = tvb(offset, 4):uint()
    if length > carillon.prefs.frame_limit then return nil end
    return HEADER_SIZE + length, false
end

local function show_info(pinfo, texts)
    if #texts == 0 then return end
    pinfo.cols.protocol = "Carillon"
    local shown = {}
    for index = 1, math.min(#texts, MAXIMUM_INFO_FRAMES) do shown[index] = texts[index] end
    if #texts > MAXIMUM_INFO_FRAMES then shown[#shown + 1] = string.format("%d more", #texts - MAXIMUM_INFO_FRAMES) end
    pinfo.cols.info = table.concat(shown, " | ")
end

--- Shows the complete prefaces and frames. Returns the offset of the first incomplete one and the number of its missing
--- bytes (nil if not known yet).
local function dissect_stream(tvb, pinfo, root, connection, sender, texts)
    local offset, bytes = 0, tvb:len()
    while offset < bytes do
        if bytes - offset < HEADER_SIZE then return offset, nil end
        local size, is_preface = size_at(tvb, offset)
        if not size then
            connection.lost[sender] = connection.lost[sender] or pinfo.number
            local text = string.format("Length %.0f above the limit (FRAME_TOO_LARGE)", tvb(offset, 4):uint())
            texts[#texts + 1] = show_lost(tvb, offset, root, text)
            return bytes, 0
        end
        if bytes - offset < size then return offset, size - (bytes - offset) end
        local dissect = is_preface and dissect_preface or dissect_frame
        texts[#texts + 1] = dissect(tvb, offset, pinfo, root, connection, sender)
        offset = offset + size
    end
    return bytes, 0
end

function carillon.dissector(tvb, pinfo, root)
    if tvb:len() == 0 then return 0 end
    local connection, sender, texts = connection_of(), sender_of(pinfo), {}
    local lost = connection.lost[sender]
    if lost and pinfo.number > lost then
        show_info(pinfo, { show_lost(tvb, 0, root, "Bytes after a fault of framing") })
        return tvb:len()
    end
    -- TLS or another protocol on the port: the next dissectors get it.
    if not connection.preface[sender] and not is_plausible(tvb) then return 0 end
    local offset, lacking = dissect_stream(tvb, pinfo, root, connection, sender, texts)
    if offset < tvb:len() then
        if pinfo.can_desegment > 0 and tvb:len() == tvb:reported_len() then
            pinfo.desegment_offset = offset
            pinfo.desegment_len = lacking or DESEGMENT_ONE_MORE_SEGMENT
        else
            texts[#texts + 1] = show_cut(tvb, offset, root)
        end
    end
    show_info(pinfo, texts)
    return tvb:len()
end

---------------------------------------------------------------------------------------------------------------------
-- Registration

--- Claims a connection that begins with the preface, or with enough of it to be distinguished from other protocols.
local function recognise(tvb, pinfo, root)
    if tvb:len() < 4 then return false end
    local beginning = tvb(0, math.min(tvb:len(), #MAGIC)):raw()
    if beginning ~= MAGIC:sub(1, #beginning) then return false end
    pinfo.conversation = carillon
    carillon.dissector(tvb, pinfo, root)
    return true
end

local tcp_ports = DissectorTable.get("tcp.port")
local port

local function use_port(number)
    if port == number then return end
    if port and port ~= 0 then tcp_ports:remove(port, carillon) end
    if number ~= 0 then tcp_ports:add(number, carillon) end
    port = number
end

function carillon.prefs_changed()
    use_port(math.min(carillon.prefs.port, 65535))
end

use_port(carillon.prefs.port)
carillon:register_heuristic("tcp", recognise)
-- Releases before 3.0 have neither table. With them the dissector works without TLS.
pcall(function() DissectorTable.get("tls.alpn"):add("carillon/1", carillon) end)
pcall(function() carillon:register_heuristic("tls", recognise) end)
