import CarillonCore
import CarillonLMDB

/// The table of the contents of messages.
///
/// `messages`: message id `u64` → the fields of a message, in this order.
///
/// - version `u8`
/// - idempotency key, 16 bytes; zero for none
/// - the body, which the fingerprint of a message is made of too:
///   - app (`u8` length, text)
///   - push type `u8`
///   - priority `u8`; 0 is the usual one
///   - lane `u8`
///   - expiration (form `u8`, which is 0 unspecified, 1 once, 2 at a time; seconds `u64`)
///   - not after (`u8`, which is 1 if there is one, else 0; time `u64`)
///   - collapse id (`u8` length, text)
///   - payload (`u32` length, bytes)
///   - bodies in languages, after their number `u8`; each is the language (`u8` length, text) and its payload (`u32`
///     length, bytes)
///   - id key (`u8` length, text)
///   - flags `u8`: the treatment above the silent-push budget, plus 64 if Android devices have a content of their own,
///     plus 32 if browsers have one
///   - the content for Android devices, if its flag is set: form `u8` (1 overrides, 2 raw), `u32` length, bytes
///   - the content for browsers, if its flag is set, in the same way
/// - form of the audience `u8`: 0 a list, 1 live, 2 a channel
/// - if live: bound `u64`; number of the devices that are left out, varint; for each the difference of its id to the
///   one before, varint; the audience
/// - if a channel: the audience
struct MessageTable {
    let database: Database

    private static let version: UInt8 = 1

    /// The bytes of a row beside its body and its audience: version, idempotency key, form of the audience.
    private static let rowFieldBytes = 1 + 2 * UInt64.byteCount + 1
    /// The most bytes of the fields before a live audience: the bound, and the number of the devices that are left out.
    private static let liveFieldBytes = UInt64.byteCount + ByteWriter.maximumVarintBytes
    /// The bytes of the length before a text.
    private static let textLengthBytes = UInt8.byteCount
    /// The bytes of the length before a payload or a content.
    private static let contentLengthBytes = UInt32.byteCount
    /// The number of fields of a body that take one byte: push type, priority, lane, form of the expiration, whether
    /// there is a `notAfter`, number of languages, flags.
    private static let byteFieldCount = 7
    /// Bytes of `bodyFieldBytes` that no field takes. They stay, because all nodes must count the same.
    private static let spareBytes = 13
    /// The bytes of a body beside its texts and contents: the lengths of three texts (app, collapse id, id key), two
    /// times (expiration, `notAfter`), the length of the payload, the form and length of two contents. Nodes decide by
    /// `bodyBytes` how many scheduled messages they release at once.
    private static let bodyFieldBytes =
        byteFieldCount + 3 * textLengthBytes + 2 * UInt64.byteCount + contentLengthBytes + 2 * (1 + contentLengthBytes)
        + spareBytes
    /// The bytes of a body in a language beside the texts: their lengths.
    private static let languageFieldBytes = textLengthBytes + contentLengthBytes

    func get(_ id: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> MessageRecord? {
        try MessageKey.with(id) { key in
            try transaction.get(key, in: database, Self.decode)
        }
    }

    /// Returns the audience of a live message as the text of a condition, or the channel. Nil if the message has a list
    /// of devices, or if the text has more than `bytes` bytes.
    func audienceText(
        of id: MessageID, atMost bytes: Int, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> String? {
        let text: String?? = try MessageKey.with(id) { key in
            try transaction.get(key, in: database) { value in
                try ByteReader.read(value, of: "messages") { reader in
                    try reader.version(Self.version)
                    _ = try reader.uuid()
                    _ = try Self.readBody(&reader)
                    switch try Self.readAudience(&reader, { try Audience.conditionText(&$0, atMost: bytes) }) {
                    case .list: return nil
                    case .channel(let channel): return channel.description
                    case .live(_, _, let text): return text
                    }
                }
            }
        }
        return text ?? nil
    }

    func put(_ record: MessageRecord, for id: MessageID, in transaction: inout WriteTransaction) throws {
        let liveBytes =
            record.live.map {
                Self.liveFieldBytes + ByteWriter.maximumVarintBytes * $0.excluded.count + $0.audience.storedBytes
            } ?? 0
        let channelBytes = record.channel.map { Audience.channel($0).storedBytes } ?? 0
        let capacity = Self.rowFieldBytes + Self.bodyBytes(record.content) + liveBytes + channelBytes
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: capacity,
                {
                    $0.append(Self.version)
                    $0.append(record.key ?? .zero)
                    Self.appendBody(record.content, notAfter: record.notAfter, lane: record.lane, to: &$0)
                    Self.append(record, to: &$0)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ id: MessageID, in transaction: inout WriteTransaction) throws {
        _ = try MessageKey.with(id) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, MessageRecord) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(try MessageKey.message(key, of: "messages"), try Self.decode(value))
            return .proceed
        }
    }

    /// Returns the most bytes that a body takes.
    static func bodyBytes(_ content: MessageContent) -> Int {
        let bodies = content.bodies.reduce(0) {
            $0 + languageFieldBytes + $1.language.utf8.count + $1.payload.count
        }
        return bodyFieldBytes + AppID.maximumBytes + (content.collapseID?.utf8.count ?? 0) + content.payload.count
            + bodies + (content.idKey?.utf8.count ?? 0) + (content.android?.byteCount ?? 0)
            + (content.web?.byteCount ?? 0)
    }

    /// Writes a body; the fingerprint of a message is made of it too.
    static func appendBody(_ content: MessageContent, notAfter: Timestamp?, lane: Lane, to writer: inout ByteWriter) {
        writer.append(text: content.app.name)
        writer.append(content.pushType.rawValue)
        writer.append(content.priority?.rawValue ?? 0)
        writer.append(lane.rawValue)
        let (expirationForm, seconds): (ExpirationForm, UInt64) =
            switch content.expiration {
            case .unspecified: (.unspecified, 0)
            case .once: (.once, 0)
            case .at(let seconds): (.at, seconds)
            }
        writer.append(expirationForm.rawValue)
        writer.append(seconds)
        writer.append(UInt8(notAfter == nil ? 0 : 1))
        writer.append(notAfter ?? .zero)
        writer.append(text: content.collapseID)
        writer.append(UInt32(content.payload.count))
        writer.append(contentsOf: content.payload)
        writer.append(UInt8(content.bodies.count))
        for body in content.bodies {
            writer.append(text: body.language)
            writer.append(UInt32(body.payload.count))
            writer.append(contentsOf: body.payload)
        }
        writer.append(text: content.idKey)
        let flags = (content.android == nil ? 0 : androidFlag) | (content.web == nil ? 0 : webFlag)
        writer.append(content.overBudget.rawValue | flags)
        for (form, bytes) in [content.android?.stored, content.web?.stored].compactMap(\.self) {
            writer.append(form.rawValue)
            writer.append(UInt32(bytes.count))
            writer.append(contentsOf: bytes)
        }
    }

    /// The flags beside the treatment above the silent-push budget. Rows without such contents keep the form that they
    /// always had.
    private static let androidFlag: UInt8 = 64
    private static let webFlag: UInt8 = 32

    private enum AudienceForm: UInt8 {
        case list = 0
        case live = 1
        case channel = 2
    }

    private enum ExpirationForm: UInt8 {
        case unspecified = 0
        case once = 1
        case at = 2
    }

    /// The form of a content for the devices of one provider.
    fileprivate enum ContentForm: UInt8 {
        case overrides = 1
        case raw = 2
    }

    private static func append(_ record: MessageRecord, to writer: inout ByteWriter) {
        if let channel = record.channel {
            writer.append(AudienceForm.channel.rawValue)
            return Audience.channel(channel).append(to: &writer)
        }
        guard let live = record.live else { return writer.append(AudienceForm.list.rawValue) }
        writer.append(AudienceForm.live.rawValue)
        writer.append(live.idBound)
        writer.append(varint: UInt64(live.excluded.count))
        var previous: UInt64 = 0
        for id in live.excluded {
            writer.append(varint: id.rawValue - previous)
            previous = id.rawValue
        }
        live.audience.append(to: &writer)
    }

    /// The stored form of an audience. A list has rows of its own.
    private enum StoredAudience<A> {
        case list
        case channel(ChannelAddress)
        case live(idBound: UInt64, excluded: [DeviceID], A)
    }

    /// Reads the stored form of an audience; `read` reads the audience of a live message.
    private static func readAudience<A>(
        _ reader: inout ByteReader, _ read: (inout ByteReader) throws -> A
    ) throws -> StoredAudience<A> {
        switch AudienceForm(rawValue: try reader.number()) {
        case .list: return .list
        case .live:
            let (idBound, excluded) = try readLiveFields(&reader)
            return .live(idBound: idBound, excluded: excluded, try read(&reader))
        case .channel:
            guard case .channel(let channel) = try Audience(&reader) else {
                throw reader.corrupted("an invalid audience")
            }
            return .channel(channel)
        case nil: throw reader.corrupted("an invalid audience")
        }
    }

    private static func readLiveFields(_ reader: inout ByteReader) throws -> (idBound: UInt64, excluded: [DeviceID]) {
        let idBound: UInt64 = try reader.number()
        guard idBound <= AppTable.deviceBound else { throw reader.corrupted("an invalid device id") }
        var excluded: [DeviceID] = []
        var previous: UInt64 = 0
        for _ in 0..<(try reader.varint()) {
            let (id, overflows) = previous.addingReportingOverflow(try reader.varint())
            guard !overflows, id > previous, id < idBound else { throw reader.corrupted("an invalid device id") }
            excluded.append(DeviceID(rawValue: id))
            previous = id
        }
        return (idBound, excluded)
    }

    private static func readBodies(_ reader: inout ByteReader) throws -> [LanguageBody] {
        let count = Int(try reader.number(UInt8.self))
        guard count <= MessageContent.maximumBodies else { throw reader.corrupted("too many languages") }
        return try (0..<count).map { _ in
            guard let language = try reader.text() else { throw reader.corrupted("an invalid language") }
            return LanguageBody(
                language: language, payload: Array(try reader.take(Int(try reader.number(UInt32.self)))))
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> MessageRecord {
        try ByteReader.read(value, of: "messages") { reader in
            try reader.version(version)
            let key = try reader.uuid().nonzero
            let body = try readBody(&reader)
            var record = MessageRecord(
                key: key, content: body.content, notAfter: body.notAfter, lane: body.lane)
            switch try readAudience(&reader, { try Audience(&$0) }) {
            case .list: break
            case .channel(let channel): record.channel = channel
            case .live(let idBound, let excluded, let audience):
                guard audience.condition != nil else { throw reader.corrupted("an invalid audience") }
                record.live = LiveAudience(audience: audience, excluded: excluded, idBound: idBound)
            }
            return record
        }
    }

    /// Reads what `appendBody` wrote.
    static func readBody(
        _ reader: inout ByteReader
    ) throws -> (content: MessageContent, notAfter: Timestamp?, lane: Lane) {
        guard let app = try reader.text().flatMap({ AppID($0) }) else { throw reader.corrupted("an invalid app") }
        let pushType: PushType = try reader.value()
        let priorityByte: UInt8 = try reader.number()
        let priority = Priority(rawValue: priorityByte)
        guard priority != nil || priorityByte == 0 else { throw reader.corrupted("an invalid priority") }
        let lane: Lane = try reader.value()
        let expiration = try readExpiration(&reader)
        let notAfter = try readNotAfter(&reader)
        let collapseID = try reader.text()
        let payload = Array(try reader.take(Int(try reader.number(UInt32.self))))
        var content = MessageContent(
            app: app,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: collapseID,
            payload: payload,
            bodies: try readBodies(&reader),
            idKey: try reader.text()
        )
        let flags: UInt8 = try reader.number()
        guard let overBudget = OverBudget(rawValue: flags & ~(androidFlag | webFlag)) else {
            throw reader.corrupted("a treatment above the silent-push budget")
        }
        content.overBudget = overBudget
        if flags & androidFlag != 0 {
            content.android = try readProviderContent(
                &reader, overrides: AndroidContent.overrides, raw: AndroidContent.raw)
        }
        if flags & webFlag != 0 {
            content.web = try readProviderContent(&reader, overrides: WebContent.overrides, raw: WebContent.raw)
        }
        return (content, notAfter, lane)
    }

    private static func readProviderContent<Content>(
        _ reader: inout ByteReader, overrides: ([UInt8]) -> Content, raw: ([UInt8]) -> Content
    ) throws -> Content {
        let form = ContentForm(rawValue: try reader.number())
        let bytes = Array(try reader.take(Int(try reader.number(UInt32.self))))
        switch form {
        case .overrides: return overrides(bytes)
        case .raw: return raw(bytes)
        case nil: throw reader.corrupted("an invalid content for one provider")
        }
    }

    private static func readNotAfter(_ reader: inout ByteReader) throws -> Timestamp? {
        let form = try reader.number(UInt8.self)
        let time = try reader.time()
        switch (form, time) {
        case (0, .zero): return nil
        case (1, _): return time
        default: throw reader.corrupted("an invalid notAfter time")
        }
    }

    private static func readExpiration(_ reader: inout ByteReader) throws -> Expiration {
        let form = ExpirationForm(rawValue: try reader.number())
        let seconds = try reader.number(UInt64.self)
        switch (form, seconds) {
        case (.unspecified, 0): return .unspecified
        case (.once, 0): return .once
        case (.at, _): return .at(seconds: seconds)
        default: throw reader.corrupted("an invalid expiration")
        }
    }
}

extension AndroidContent {
    fileprivate var stored: (form: MessageTable.ContentForm, bytes: [UInt8]) {
        switch self {
        case .overrides(let bytes): (.overrides, bytes)
        case .raw(let bytes): (.raw, bytes)
        }
    }
}

extension WebContent {
    fileprivate var stored: (form: MessageTable.ContentForm, bytes: [UInt8]) {
        switch self {
        case .overrides(let bytes): (.overrides, bytes)
        case .raw(let bytes): (.raw, bytes)
        }
    }
}
