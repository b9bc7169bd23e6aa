import CarillonCore

/// The words that several messages share (Protocol 7, 7a and 7b).
extension PayloadReader {
    /// A `device`s list.
    mutating func devices(_ counts: ClosedRange<Int>) throws(WireFault) -> [DeviceReference] {
        try items("devices", counts, elementBytes: Self.leastDeviceBytes) { reader throws(WireFault) in
            try reader.deviceHere()
        }
    }

    /// The name of a group.
    mutating func group(_ field: String) throws(WireFault) -> GroupName {
        let name = try string(field, 0...65_535)
        if let group = GroupName(name) { return group }
        note(field, "\(field) is not a name of 1 to \(WireLimits.nameBytes) bytes")
        return Self.standInGroup
    }

    /// The name of a topic, with or without FCM's prefix.
    mutating func topic(_ field: String) throws(WireFault) -> TopicName {
        topic(try string(field, 0...65_535), field)
    }

    /// The topic that a text names.
    mutating func topic(_ name: String, _ field: String) -> TopicName {
        if let topic = TopicName(name) { return topic }
        note(field, "\(field) is not a name of 1 to \(WireLimits.nameBytes) bytes")
        return Self.standInTopic
    }

    /// The names of groups.
    mutating func groups(_ counts: ClosedRange<Int>) throws(WireFault) -> [GroupName] {
        try items("groups", counts, elementBytes: 2) { reader throws(WireFault) in try reader.group("groups") }
    }

    /// The names of topics.
    mutating func topics(_ counts: ClosedRange<Int>) throws(WireFault) -> [TopicName] {
        try items("topics", counts, elementBytes: 2) { reader throws(WireFault) in try reader.topic("topics") }
    }

    /// The beginning of names, or the name after which a page begins: any text of 0 to 200 bytes.
    mutating func sought(_ field: String) throws(WireFault) -> String {
        try string(field, 0...WireLimits.nameBytes)
    }

    /// The `limit` of a page.
    mutating func pageLimit() throws(WireFault) -> UInt32 {
        let limit = try u32("limit")
        if !(1...UInt32(WireLimits.page)).contains(limit) {
            note("limit", "limit \(limit) is not 1 to \(WireLimits.page)")
        }
        return limit
    }

    /// The name after which the next page begins; nil if this was the last.
    mutating func nextName() throws(WireFault) -> String? {
        let name = try sought("next")
        return name.isEmpty ? nil : name
    }

    /// The condition that a text spells.
    mutating func condition(_ text: String) -> Condition {
        do throws(ConditionError) {
            return try Condition(text)
        } catch {
            note("condition", error.description, column: UInt32(clamping: error.column))
            return .all
        }
    }

    /// Attributes to set and, of empty value, to forget.
    static func attributeChanges(
        _ reader: inout PayloadReader
    ) throws(WireFault) -> [AttributeChange] {
        var changes: [AttributeChange] = []
        _ = try reader.items("attributes", 0...Attributes.countLimit, elementBytes: 4) { reader throws(WireFault) in
            let key = try reader.string("key", 0...65_535)
            let value = try reader.string("value", 0...65_535)
            // Of a list that is too long only the form is judged: the search below must stay short.
            guard changes.count < Attributes.countLimit else { return }
            guard let key = AttributeKey(key), !key.isReserved else {
                return reader.note("attributes", "the key is not one of 1 to 32 bytes that a caller may set")
            }
            let setting = value.isEmpty ? nil : AttributeValue(value)
            if setting == nil && !value.isEmpty { reader.note("attributes", "the value of \(key) is not allowed") }
            if changes.contains(where: { $0.key == key }) { reader.note("attributes", "\(key) stands twice") }
            changes.append(AttributeChange(key: key, value: setting))
        }
        return changes
    }

    /// The attributes that a device has.
    static func attributes(_ reader: inout PayloadReader) throws(WireFault) -> Attributes {
        var attributes = Attributes()
        let changes = try attributeChanges(&reader)
        if (try? attributes.merge(changes)) == nil { reader.note("attributes", "more than a device can have") }
        return attributes
    }

    private static let standInGroup: GroupName = {
        guard let group = GroupName("invalid") else { preconditionFailure("a constant is not a name") }
        return group
    }()

    private static let standInTopic: TopicName = {
        guard let topic = TopicName("invalid") else { preconditionFailure("a constant is not a name") }
        return topic
    }()
}

/// Payloads and their languages (Protocol 8.1).
extension PayloadReader {
    /// Payloads by language, each checked like the payload of a SEND.
    mutating func bodies(
        _ value: UnsafeRawBufferPointer,
        for type: PushType?
    ) throws(WireFault) -> [LanguageBody] {
        try whole(value, "bodies") { reader throws(WireFault) in
            var languages: Set<String> = []
            return try reader.items("bodies", 1...MessageContent.bodyLimit, elementBytes: 6) {
                reader throws(WireFault) in
                let language = try reader.string("language", 0...65_535)
                let payload = Array(try reader.blob("payload"))
                if !DeviceField.isLanguageTag(language) {
                    reader.note("bodies", "the language is not a tag of 2 to 35 bytes")
                } else if !languages.insert(language.lowercased()).inserted {
                    reader.note("bodies", "the language \(language) stands twice")
                }
                reader.check(payload, "bodies", for: type)
                return LanguageBody(language: language, payload: payload)
            }
        }
    }

    /// Notes what is wrong with a payload of a push type; of an unknown type nothing is known.
    mutating func check(_ payload: [UInt8], _ field: String, for type: PushType?) {
        guard let type else { return }
        note(field) { () throws(MessageFault) in try MessageRules.check(payload: payload, for: type) }
    }

    /// Notes a breach of the rules of push types, if there is one. Where in the payload it lies is for people.
    mutating func note(_ field: String, _ check: () throws(MessageFault) -> Void) {
        do throws(MessageFault) {
            try check()
        } catch {
            guard let limit = error.limit else { return note(field, "\(error.field): \(error.text)") }
            noteTooLarge(field, error.text, limit: UInt64(limit))
        }
    }
}

extension FrameWriter {
    /// Appends a payload and its language.
    mutating func body(_ body: LanguageBody) {
        string(body.language)
        blob(body.payload)
    }

    private mutating func attribute(_ key: String, _ value: String) {
        string(key)
        string(value)
    }

    /// A tagged field of attributes to set or to forget.
    static func field(
        _ tag: UInt32,
        _ changes: [AttributeChange]
    ) -> (tag: UInt32, value: [UInt8])? {
        field(tag, changes) { $0.attribute($1.key.name, $1.value?.text ?? "") }
    }

    /// A tagged field of the attributes of a device, ascending by key.
    static func field(_ tag: UInt32, _ attributes: Attributes) -> (tag: UInt32, value: [UInt8])? {
        field(tag, attributes.entries.map { AttributeChange(key: $0.key, value: $0.value) })
    }

    /// A tagged field of a `u8` that is 0 or 1.
    static func field(_ tag: UInt32, _ flag: Bool?) -> (tag: UInt32, value: [UInt8])? {
        flag.map { (tag, [$0 ? 1 : 0]) }
    }
}
