package import CarillonCore

/// UNREGISTER (Protocol 7.3).
package struct Unregistration: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference
    /// When the app signed off; zero stands for now.
    package var at: Timestamp

    /// Makes an UNREGISTER.
    package init(app: AppID, device: DeviceReference, at: Timestamp = .zero) {
        self.app = app
        self.device = device
        self.at = at
    }
}

/// LOOKUP (Protocol 7.4).
package struct Lookup: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference

    /// Makes a LOOKUP.
    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }
}

/// One item's answer of REGISTER_BATCH (Protocol 7.2).
package enum BatchItemResult: Hashable, Sendable {
    /// Done.
    case registered(DeviceID, RegistrationResult)
    /// Refused with that code.
    case refused(ErrorCode)
}

extension Registration {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            address: try reader.address(),
            seenAt: try reader.time("seen_at"))
        var replaces: DeviceToken?
        var locale: String?
        var timeZone: String?
        try reader.finish { reader, tag, value throws(WireFault) in
            switch tag {
            case 17: replaces = try reader.token(value, "replaces")
            case 18: locale = try reader.deviceField(value, "locale", 0...35, DeviceField.isLanguageTag)
            case 20: timeZone = try reader.deviceField(value, "time_zone", 0...64, DeviceField.isTimeZone)
            default: return try common.read(tag, value, reader)
            }
            return true
        }
        // A token that takes its own place is a registration like any other.
        self.replaces = replaces == address.token ? nil : replaces
        (self.locale, self.timeZone) = (locale, timeZone)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u8(address.environment.rawValue)
        writer.u8(address.kind.rawValue)
        writer.token(address.token)
        writer.u64(seenAt.milliseconds)
        writer.tags(
            common.fields + [
                replaces.map { (17, $0.bytes) }, FrameWriter.field(18, locale), FrameWriter.field(20, timeZone),
            ]
        )
    }
}

extension PayloadReader {
    fileprivate mutating func deviceField(
        _ value: UnsafeRawBufferPointer,
        _ name: String,
        _ limits: ClosedRange<Int>,
        _ isValid: (String) -> Bool
    ) throws(WireFault) -> String {
        let text = try text(value, name, limits)
        if !text.isEmpty && !isValid(text) { note(name, "\(name) does not have its form") }
        return text
    }
}

extension Unregistration {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device(), at: try reader.time("at"))
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.u64(at.milliseconds)
        writer.tags(common.fields)
    }
}

extension Lookup {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device())
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(common.fields)
    }
}

extension Device {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        let id = DeviceID(rawValue: try reader.u64("device_id"))
        let address = try reader.address()
        let registeredAt = try reader.time("registered_at")
        let seenAt = try reader.time("seen_at")
        let state = try reader.u8("state")
        if DeviceState(rawValue: state) == nil { reader.note("state", "state \(state) is not known") }
        self.init(
            id: id,
            address: address,
            registeredAt: registeredAt,
            seenAt: seenAt,
            state: DeviceState(rawValue: state) ?? .active
        )
        var locale: String?
        var timeZone: String?
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireFault) in
            switch tag {
            case 18: locale = try reader.text(value, "locale", 0...35)
            case 20: timeZone = try reader.text(value, "time_zone", 0...64)
            default: return false
            }
            return true
        }
        (self.locale, self.timeZone) = (locale, timeZone)
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(id.rawValue)
        writer.u8(address.environment.rawValue)
        writer.u8(address.kind.rawValue)
        writer.token(address.token)
        writer.u64(registeredAt.milliseconds)
        writer.u64(seenAt.milliseconds)
        writer.u8(state.rawValue)
        writer.tags([FrameWriter.field(18, locale), FrameWriter.field(20, timeZone)])
    }
}
