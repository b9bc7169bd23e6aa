/// What a frame is (Protocol 3).
package enum FrameKind: UInt8, Hashable, Sendable {
    case request = 1
    case response = 2
    case error = 3
    case event = 4
    case control = 5
}

/// The numbers of messages (Protocol 10.1). An open set.
package struct Opcode: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number.
    package let rawValue: UInt16

    /// Makes an opcode of its number.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let hello = Opcode(rawValue: 0x0001)
    package static let authenticate = Opcode(rawValue: 0x0002)
    package static let ping = Opcode(rawValue: 0x0003)
    package static let goAway = Opcode(rawValue: 0x0004)
    package static let register = Opcode(rawValue: 0x0010)
    package static let registerBatch = Opcode(rawValue: 0x0011)
    package static let unregister = Opcode(rawValue: 0x0012)
    package static let lookup = Opcode(rawValue: 0x0013)
    package static let updateDevice = Opcode(rawValue: 0x0014)
    package static let memberships = Opcode(rawValue: 0x0015)
    package static let restore = Opcode(rawValue: 0x0016)
    package static let quarantine = Opcode(rawValue: 0x0017)
    package static let join = Opcode(rawValue: 0x0020)
    package static let leave = Opcode(rawValue: 0x0021)
    package static let switchGroup = Opcode(rawValue: 0x0022)
    package static let groupDevices = Opcode(rawValue: 0x0023)
    package static let groups = Opcode(rawValue: 0x0024)
    package static let updateGroup = Opcode(rawValue: 0x0025)
    package static let groupTopics = Opcode(rawValue: 0x0026)
    package static let subscribe = Opcode(rawValue: 0x0030)
    package static let unsubscribe = Opcode(rawValue: 0x0031)
    package static let topics = Opcode(rawValue: 0x0032)
    package static let topicDevices = Opcode(rawValue: 0x0033)
    package static let explain = Opcode(rawValue: 0x0040)
    package static let send = Opcode(rawValue: 0x0050)
    package static let messageStatus = Opcode(rawValue: 0x0051)
    package static let messageOutcomes = Opcode(rawValue: 0x0052)
    package static let messages = Opcode(rawValue: 0x0053)
    package static let updateMessage = Opcode(rawValue: 0x0054)
    package static let resend = Opcode(rawValue: 0x0055)
    package static let subscribeEvents = Opcode(rawValue: 0x0060)
    package static let eventCredit = Opcode(rawValue: 0x0061)
    package static let unsubscribeEvents = Opcode(rawValue: 0x0062)
    package static let receipts = Opcode(rawValue: 0x0070)
    package static let receiptDevices = Opcode(rawValue: 0x0071)
    package static let statistics = Opcode(rawValue: 0x0080)
    package static let devices = Opcode(rawValue: 0x0081)

    /// The requests of this version, ascending.
    package static let served: [Opcode] = [
        .hello, .authenticate, .register, .registerBatch, .unregister, .lookup, .updateDevice, .memberships, .restore,
        .quarantine, .join, .leave, .switchGroup, .groupDevices, .groups, .updateGroup, .groupTopics, .subscribe,
        .unsubscribe, .topics, .topicDevices, .explain, .send, .messageStatus, .messageOutcomes, .messages,
        .updateMessage,
        .resend, .subscribeEvents, .eventCredit, .unsubscribeEvents, .receipts, .receiptDevices,
        .statistics, .devices,
    ]

    private static let names: [Opcode: String] = [
        .hello: "hello", .authenticate: "authenticate", .register: "register", .registerBatch: "register-batch",
        .unregister: "unregister", .lookup: "lookup", .updateDevice: "update-device", .memberships: "memberships",
        .join: "join", .leave: "leave", .switchGroup: "switch-group", .groupDevices: "group-devices",
        .groups: "groups", .updateGroup: "update-group", .groupTopics: "group-topics", .subscribe: "subscribe",
        .unsubscribe: "unsubscribe", .topics: "topics", .topicDevices: "topic-devices", .explain: "explain",
        .send: "send", .messageStatus: "message-status", .messageOutcomes: "message-outcomes", .messages: "messages",
        .updateMessage: "steer", .resend: "resend", .restore: "restore", .quarantine: "quarantine",
        .subscribeEvents: "subscribe-events", .eventCredit: "event-credit",
        .unsubscribeEvents: "unsubscribe-events", .receipts: "receipts", .receiptDevices: "receipt-devices",
        .statistics: "statistics", .devices: "devices",
    ]

    /// What people and metrics call it.
    package var name: String { Self.names[self] ?? "opcode-\(rawValue)" }

    /// Orders by number.
    package static func < (left: Opcode, right: Opcode) -> Bool { left.rawValue < right.rawValue }
}

/// The 16 bytes before each payload (Protocol 3).
package struct FrameHeader: Hashable, Sendable {
    /// Bytes of a header.
    package static let byteCount = 16
    /// The flag ACK of PING.
    package static let acknowledgement: UInt8 = 0x1

    /// Bytes of payload after the header.
    package var length: UInt32
    /// What the frame is, as on the wire: an unknown kind is the session's to judge.
    package var kind: UInt8
    /// Low four bits: flags of the kind. High four bits: layout of the opcode, minus 1.
    package var flags: UInt8
    /// Which message.
    package var opcode: Opcode
    /// Request id.
    package var id: UInt64

    /// Makes a header.
    package init(length: UInt32, kind: FrameKind, flags: UInt8 = 0, opcode: Opcode, id: UInt64) {
        self.length = length
        self.kind = kind.rawValue
        self.flags = flags
        self.opcode = opcode
        self.id = id
    }

    /// Reads a header; nil if there are fewer than 16 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        length = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
        kind = bytes[4]
        flags = bytes[5]
        opcode = Opcode(rawValue: UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)))
        id = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
}
