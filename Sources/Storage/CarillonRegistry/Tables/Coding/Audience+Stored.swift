import CarillonCore

/// The stored form of an audience, a part of the rows of `messages`.
extension Audience {
    /// The first byte of the stored form.
    enum Form: UInt8 {
        case devices = 1
        case groups = 2
        case topic = 3
        case condition = 4
        case all = 5
        case channel = 6
    }

    /// The most bytes that `append` writes.
    var storedBytes: Int {
        switch self {
        // A device takes at most four bytes beside its token.
        case .devices(let devices): devices.reduce(5) { $0 + $1.storedBytes }
        case .groups(let groups): groups.reduce(5) { $0 + 1 + $1.name.utf8.count }
        case .topic(let topic): 2 + topic.name.utf8.count
        case .condition(let condition): 5 + condition.description.utf8.count
        case .all: 1
        case .channel(let channel): 4 + channel.id.text.utf8.count
        }
    }

    /// Writes form `u8` and its contents: a list after its length `u32`, a topic after a `u8` length, a condition in
    /// its canonical form after a `u32` length, a channel as environment `u8` and id after a `u16` length. Devices keep
    /// the order and the form in which the request named them.
    func append(to writer: inout ByteWriter) {
        switch self {
        case .devices(let devices):
            writer.append(Form.devices.rawValue)
            writer.append(UInt32(devices.count))
            for device in devices { device.append(to: &writer) }
        case .groups(let groups):
            writer.append(Form.groups.rawValue)
            writer.append(UInt32(groups.count))
            for group in groups { writer.append(text: group.name) }
        case .topic(let topic):
            writer.append(Form.topic.rawValue)
            writer.append(text: topic.name)
        case .condition(let condition):
            let text = Array(condition.description.utf8)
            writer.append(Form.condition.rawValue)
            writer.append(UInt32(text.count))
            writer.append(contentsOf: text)
        case .all:
            writer.append(Form.all.rawValue)
        case .channel(let channel):
            writer.append(Form.channel.rawValue)
            writer.append(channel.environment.rawValue)
            writer.append(UInt16(channel.id.text.utf8.count))
            writer.append(contentsOf: Array(channel.id.text.utf8))
        }
    }

    /// Reads what `append` wrote as the text of a condition; nil if it is a list of devices, or if the text has more
    /// than `limit` bytes. A stored condition is not parsed: its text is canonical already, and parsing a long one
    /// takes milliseconds.
    static func conditionText(_ reader: inout ByteReader, atMost limit: Int) throws -> String? {
        var ahead = reader
        guard try ahead.value(Form.self) == .condition else {
            return try Audience(&reader).condition?.description(atMost: limit)
        }
        let bytes = try ahead.take(Int(try ahead.number(UInt32.self)))
        reader = ahead
        guard bytes.count <= limit else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw reader.corrupted("not UTF-8") }
        return text
    }

    /// Reads what `append` wrote.
    init(_ reader: inout ByteReader) throws {
        switch try reader.value(Form.self) {
        case .devices:
            var devices: [DeviceReference] = []
            for _ in 0..<(try reader.number(UInt32.self)) { devices.append(try DeviceReference(&reader)) }
            self = .devices(devices)
        case .groups:
            var groups: [GroupName] = []
            for _ in 0..<(try reader.number(UInt32.self)) {
                guard let group = try reader.text().flatMap({ GroupName($0) }) else {
                    throw reader.corrupted("an invalid group")
                }
                groups.append(group)
            }
            self = .groups(groups)
        case .topic:
            guard let topic = try reader.text().flatMap({ TopicName($0) }) else {
                throw reader.corrupted("an invalid topic")
            }
            self = .topic(topic)
        case .condition:
            let bytes = try reader.take(Int(try reader.number(UInt32.self)))
            guard let text = String(validating: bytes, as: UTF8.self) else { throw reader.corrupted("not UTF-8") }
            do throws(ConditionError) {
                self = .condition(try Condition(text))
            } catch {
                throw reader.corrupted("an invalid condition")
            }
        case .all:
            self = .all
        case .channel:
            let environment: APNsEnvironment = try reader.value()
            let bytes = try reader.take(Int(try reader.number(UInt16.self)))
            guard let id = String(validating: bytes, as: UTF8.self).flatMap({ ChannelID($0) }) else {
                throw reader.corrupted("an invalid channel")
            }
            self = .channel(ChannelAddress(environment: environment, id: id))
        }
    }
}

/// The stored form of a device as a request has named it, a part of the stored audience.
extension DeviceReference {
    /// The number of bytes that `append` writes.
    var storedBytes: Int {
        if case .address(let address) = self { 4 + address.token.bytes.count } else { 9 }
    }

    /// Writes form `u8` 1, environment and kind, `u8` each, and the token after a `u8` length; or 2 and the id `u64`.
    func append(to writer: inout ByteWriter) {
        switch self {
        case .address(let address):
            writer.append(UInt8(1))
            writer.append(address.environment.rawValue)
            writer.append(address.kind.rawValue)
            writer.append(UInt8(address.token.bytes.count))
            writer.append(contentsOf: address.token.bytes)
        case .id(let id):
            writer.append(UInt8(2))
            writer.append(id.rawValue)
        }
    }

    /// Reads what `append` wrote.
    init(_ reader: inout ByteReader) throws {
        switch try reader.number(UInt8.self) {
        case 1:
            let environment: APNsEnvironment = try reader.value()
            let kind: TokenKind = try reader.value()
            self = .address(DeviceAddress(environment: environment, kind: kind, token: try reader.token()))
        case 2: self = .id(DeviceID(rawValue: try reader.number()))
        default: throw reader.corrupted("an invalid device")
        }
    }
}
