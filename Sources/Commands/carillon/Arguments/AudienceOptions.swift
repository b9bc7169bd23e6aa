import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The options for the audience of a message: devices, groups, a topic, a condition, all devices, or a broadcast
/// channel.
struct AudienceOptions: ParsableArguments {
    @OptionGroup var devices: DevicesArguments

    @Option(
        help: ArgumentHelp("All devices of a group; may be repeated.", valueName: "group"),
        completion: NameCompletion.groups)
    var group: [GroupName] = []

    @Option(help: ArgumentHelp("All devices in a topic.", valueName: "topic"), completion: NameCompletion.topics)
    var topic: TopicName?

    @Option(help: ArgumentHelp("All devices for which a condition holds.", valueName: "condition"))
    var condition: String?

    @Flag(help: "All devices of the app.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The devices of a broadcast channel, with --type liveactivity and --expiration; of --environment.",
            valueName: "channel"))
    var channel: ChannelID?

    @Option(help: ArgumentHelp("Leaves out this device.", valueName: "id"))
    var except: DeviceID?

    @Option(help: ArgumentHelp("Leaves out the device of this token.", valueName: "hex"))
    var exceptToken: DeviceToken?

    func validate() throws {
        let forms = [!devices.isEmpty, !group.isEmpty, topic != nil, condition != nil, all, channel != nil]
            .filter { $0 }.count
        guard forms > 0 else {
            throw ValidationError(
                "The audience is missing: --device or --token, --group, --topic, --condition, --all, or --channel.")
        }
        guard forms == 1 else {
            throw ValidationError(
                "Devices, --group, --topic, --condition, --all and --channel exclude each other; a condition can "
                    + "combine groups and topics."
            )
        }
        guard except == nil || exceptToken == nil else {
            throw ValidationError("--except and --except-token exclude each other.")
        }
        if let condition { _ = try Condition(argument: condition) }
    }

    /// Returns the audience. Tokens are of the kind that `type` needs, unless `--kind` is given.
    func audience(for type: PushType) throws -> Audience {
        if all { return .all }
        if let channel {
            return .channel(ChannelAddress(environment: devices.environment ?? .production, id: channel))
        }
        if let topic { return .topic(topic) }
        if let condition { return .condition(try Condition(argument: condition)) }
        return group.isEmpty ? .devices(devices.references(type.tokenKind)) : .groups(group)
    }

    /// Returns the device that is left out; nil for none.
    func excludedDevice(for type: PushType) -> DeviceReference? {
        if let except { return .id(except) }
        return exceptToken.map { token in
            .address(
                DeviceAddress(
                    environment: devices.environment ?? .production, kind: devices.kind ?? type.tokenKind, token: token)
            )
        }
    }
}

/// Conditions as arguments of the command line.
extension Condition {
    /// The error of a text that is not a condition shows the position.
    init(argument text: String) throws {
        do throws(ConditionError) {
            try self.init(text)
        } catch {
            throw ValidationError(
                "The condition is wrong: expected \(error.expected).\n\(Self.mark(text, at: error.column))")
        }
    }

    /// Returns the text around a column, in bytes from 1, with a caret below it.
    static func mark(_ text: String, at column: Int) -> String {
        let bytes = Array(text.utf8)
        let position = min(max(column - 1, 0), bytes.count)
        // Control characters, such as line breaks, would move the caret.
        func shown(_ part: ArraySlice<UInt8>) -> String {
            String(
                String.UnicodeScalarView(
                    String(decoding: part, as: UTF8.self).unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        }
        var before = shown(bytes[..<position])
        var after = shown(bytes[position...])
        if before.count > 50 { before = "…" + before.suffix(49) }
        if after.count > 26 { after = after.prefix(25) + "…" }
        return "  \(before)\(after)\n  \(String(repeating: " ", count: before.count))^"
    }
}
