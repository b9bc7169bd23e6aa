import CarillonCore

/// Fields that several operations read; `FrameWriter+Fields.swift` writes those that are more than one value.
extension PayloadReader {
    // MARK: Devices (Protocol 7 and 16.3)

    mutating func app() throws(WireError) -> AppID {
        let bytes = try raw(Int(try u16("app")), field: "app")
        if let lastApp, Self.isText(bytes, of: lastApp.name) { return lastApp }
        let app = app(try text(bytes, field: "app"))
        if !hasInvalid { lastApp = app }
        return app
    }

    /// Reads an `app`, and returns true if it is this one. Makes no `AppID`.
    mutating func takeApp(equalTo app: AppID) throws(WireError) -> Bool {
        let count = Int(try u16("app"))
        let bytes = try raw(count, field: "app")
        return Self.isText(bytes, of: app.name)
    }

    /// Returns true if `bytes` are the UTF-8 of a text.
    private static func isText(_ bytes: UnsafeRawBufferPointer, of text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).isEqual(to: bytes) } ?? false
    }

    mutating func app(_ name: String) -> AppID {
        if let app = AppID(name) { return app }
        recordInvalid("app", because: "app is not a bundle id of 1 to \(AppID.maximumBytes) bytes")
        return Self.placeholderApp
    }

    mutating func environment() throws(WireError) -> APNsEnvironment {
        let value = try u8("environment")
        if let environment = APNsEnvironment(rawValue: value) { return environment }
        recordInvalid("environment", because: "environment \(value) is neither 1 nor 2")
        return .production
    }

    mutating func tokenKind() throws(WireError) -> TokenKind {
        let value = try u8("kind")
        if let kind = TokenKind(rawValue: value) { return kind }
        recordInvalid("kind", because: "token kind \(value) is not known")
        return .device
    }

    /// Reads environment, kind and token.
    mutating func address() throws(WireError) -> DeviceAddress {
        let address = DeviceAddress(environment: try environment(), kind: try tokenKind(), token: try token("token"))
        switch address.fault {
        case nil: break
        case .environment:
            recordInvalid(
                "environment", because: "a token of kind \(address.kind.name) is of the environment production")
        case .token: recordInvalid("token", because: "the token is none of kind \(address.kind.name)")
        }
        return address
    }

    /// Reads a `device` that is a field of its own.
    mutating func device(_ field: String = "device") throws(WireError) -> DeviceReference {
        currentField = (field, nil)
        defer { currentField = nil }
        return try deviceItem()
    }

    /// Reads a `device`: by address or by id.
    mutating func deviceItem() throws(WireError) -> DeviceReference {
        switch try u8("device") {
        case 1: return .address(try address())
        case 2: return .id(DeviceID(rawValue: try u64("device")))
        case let form: throw malformed("device", because: "a device is of form 1 or 2, not \(form)")
        }
    }

    /// The least bytes of a `device`: form 2 has 9, form 1 with a token of one byte has 5.
    static let minimumDeviceBytes = 5

    // MARK: Lists and names

    mutating func devices(_ counts: ClosedRange<Int>) throws(WireError) -> [DeviceReference] {
        try items("devices", counts: counts, elementBytes: Self.minimumDeviceBytes) { reader throws(WireError) in
            try reader.deviceItem()
        }
    }

    mutating func group(_ field: String) throws(WireError) -> GroupName {
        let name = try string(field)
        if let group = GroupName(name) { return group }
        recordInvalid(field, because: "\(field) is not a name of 1 to \(WireLimits.nameBytes) bytes")
        return Self.placeholderGroup
    }

    /// Reads the name of a topic, with or without FCM's prefix.
    mutating func topic(_ field: String) throws(WireError) -> TopicName {
        topic(try string(field), field: field)
    }

    mutating func topic(_ name: String, field: String) -> TopicName {
        if let topic = TopicName(name) { return topic }
        recordInvalid(field, because: "\(field) is not a name of 1 to \(WireLimits.nameBytes) bytes")
        return Self.placeholderTopic
    }

    mutating func groups(_ counts: ClosedRange<Int>) throws(WireError) -> [GroupName] {
        try items("groups", counts: counts, elementBytes: 2) { reader throws(WireError) in try reader.group("groups") }
    }

    mutating func topics(_ counts: ClosedRange<Int>) throws(WireError) -> [TopicName] {
        try items("topics", counts: counts, elementBytes: 2) { reader throws(WireError) in try reader.topic("topics") }
    }

    /// Reads a prefix of names, or the name after which a page begins: any text of 0 to 200 bytes.
    mutating func searchText(_ field: String) throws(WireError) -> String {
        try string(field, limits: 0...WireLimits.nameBytes)
    }

    /// Reads the `limit` of a page.
    mutating func pageLimit() throws(WireError) -> UInt32 {
        let limit = try u32("limit")
        if !(1...UInt32(WireLimits.pageRows)).contains(limit) {
            recordInvalid("limit", because: "limit \(limit) is not 1 to \(WireLimits.pageRows)")
        }
        return limit
    }

    /// Reads the name after which the next page begins; nil if this was the last.
    mutating func nextName() throws(WireError) -> String? {
        let name = try searchText("next")
        return name.isEmpty ? nil : name
    }

    mutating func condition(_ text: String) -> Condition {
        do throws(ConditionError) {
            return try Condition(text)
        } catch {
            recordInvalid("condition", because: error.description, column: UInt32(clamping: error.column))
            return .all
        }
    }

    /// Reads attributes to set and, with an empty value, to remove.
    static func attributeChanges(
        _ reader: inout PayloadReader
    ) throws(WireError) -> [AttributeChange] {
        var changes: [AttributeChange] = []
        _ = try reader.items("attributes", counts: 0...Attributes.maximumCount, elementBytes: 2 + 2) {
            reader throws(WireError) in
            let key = try reader.string("key")
            let value = try reader.string("value")
            // Of a list that is too long only the form is judged: the search below must stay short.
            guard changes.count < Attributes.maximumCount else { return }
            guard let key = AttributeKey(key), !key.isReserved else {
                return reader.recordInvalid(
                    "attributes", because: "the key is not one of 1 to 32 bytes that a caller may set")
            }
            let setting = value.isEmpty ? nil : AttributeValue(value)
            if setting == nil && !value.isEmpty {
                reader.recordInvalid("attributes", because: "the value of \(key) is not allowed")
            }
            if changes.contains(where: { $0.key == key }) {
                reader.recordInvalid("attributes", because: "\(key) stands twice")
            }
            changes.append(AttributeChange(key: key, value: setting))
        }
        return changes
    }

    /// Reads the attributes that a device has.
    static func attributes(_ reader: inout PayloadReader) throws(WireError) -> Attributes {
        var attributes = Attributes()
        let changes = try attributeChanges(&reader)
        // Why try?: the fault is recorded here.
        if (try? attributes.merge(changes)) == nil {
            reader.recordInvalid("attributes", because: "more than a device can have")
        }
        return attributes
    }

    /// Reads a `locale`; empty = to remove.
    mutating func locale(_ value: UnsafeRawBufferPointer) throws(WireError) -> String {
        try deviceField(value, name: "locale", limits: 0...35, isValid: DeviceFieldSyntax.isLanguageTag)
    }

    /// Reads a `time_zone`; empty = to remove.
    mutating func timeZone(_ value: UnsafeRawBufferPointer) throws(WireError) -> String {
        try deviceField(value, name: "time_zone", limits: 0...64, isValid: DeviceFieldSyntax.isTimeZone)
    }

    /// Reads the `subscription` of a browser; returns nil if it is not valid.
    mutating func subscription(_ value: UnsafeRawBufferPointer, of kind: TokenKind) -> WebPushSubscription? {
        guard kind == .web else {
            recordInvalid("subscription", because: "only a device of kind \(TokenKind.web.name) has a subscription")
            return nil
        }
        do throws(WebPushSubscriptionError) {
            return try WebPushSubscription(json: Array(value))
        } catch {
            recordInvalid("subscription", because: "the subscription \(error)")
            return nil
        }
    }

    private mutating func deviceField(
        _ value: UnsafeRawBufferPointer,
        name: String,
        limits: ClosedRange<Int>,
        isValid: (String) -> Bool
    ) throws(WireError) -> String {
        let text = try text(value, field: name, limits: limits)
        if !text.isEmpty && !isValid(text) { recordInvalid(name, because: "\(name) does not have its form") }
        return text
    }

    // MARK: Placeholders

    /// The id that stands for an app that is not valid, until `finish` throws.
    private static let placeholderApp: AppID = {
        guard let app = AppID("invalid") else { preconditionFailure("a constant is not an app id") }
        return app
    }()

    private static let placeholderGroup: GroupName = {
        guard let group = GroupName("invalid") else { preconditionFailure("a constant is not a name") }
        return group
    }()

    private static let placeholderTopic: TopicName = {
        guard let topic = TopicName("invalid") else { preconditionFailure("a constant is not a name") }
        return topic
    }()
}
