public import ArgumentParser
import CarillonArguments
import CarillonClock
import CarillonCommandLine
public import CarillonCore

/// The filter of listed devices.
struct DeviceFilter: ParsableArguments {
    @Option(help: "Only devices of this environment.")
    var environment: APNsEnvironment?

    @Option(help: "Only tokens of this kind.")
    var kind: TokenKind?

    @Option(help: "Only devices in this state.")
    var state: DeviceState?

    @Option(help: ArgumentHelp("Only devices of this language; zh includes zh-Hant-TW.", valueName: "range"))
    var locale: String?

    @Option(
        help: ArgumentHelp(
            "Only devices of this platform: ios, android, web, or what the attribute says.", valueName: "name")
    )
    var platform: String?

    @Flag(help: "Only devices of Android whose token FCM is likely to have forgotten: not seen for 270 days.")
    var stale = false

    @Option(help: ArgumentHelp("Only devices with this attribute; may be repeated.", valueName: "key=value"))
    var attribute: [AttributeChange] = []

    @Flag(help: "Only devices that are muted themselves.")
    var muted = false

    @Option(help: ArgumentHelp("Only devices that were last seen before this time.", valueName: "time"))
    var seenBefore: TimeArgument?

    @Option(help: ArgumentHelp("Only devices that were last seen at or after this time.", valueName: "time"))
    var seenAfter: TimeArgument?

    @Option(help: ArgumentHelp("Only devices in this topic.", valueName: "topic"))
    var topic: TopicName?

    @Option(help: ArgumentHelp("Only devices in this group.", valueName: "group"))
    var group: GroupName?

    func validate() throws {
        guard topic == nil || group == nil else { throw ValidationError("--topic and --group exclude each other.") }
        guard platform.map({ AttributeValue($0) != nil }) ?? true else {
            throw ValidationError("--platform is not a valid value.")
        }
    }

    /// Returns true if a device passes the filter, leaving aside its topic and group.
    func admits(_ device: DeviceRecord, at now: Timestamp = Clock.wallTime()) -> Bool {
        if let environment, device.address.environment != environment { return false }
        if let kind, device.address.kind != kind { return false }
        if let state, device.state != state { return false }
        if let locale {
            let ranges = device.locale.map(LanguageTag.ranges) ?? []
            guard ranges.contains(locale.lowercased()) else { return false }
        }
        if muted && !device.isMuted { return false }
        if let seenBefore, device.seenAt >= seenBefore.time { return false }
        if let seenAfter, device.seenAt < seenAfter.time { return false }
        if let platform, device.platform != platform { return false }
        if stale && !device.isStale(at: now) { return false }
        return attribute.allSatisfy { device.attributes[$0.key] == $0.value }
    }
}

extension DeviceState: ExpressibleByArgument {
    /// Finds a state by its name.
    public init?(argument: String) {
        switch argument {
        case "active": self = .active
        case "quarantined": self = .quarantined
        default: return nil
        }
    }
    /// The names of both states.
    public static var allValueStrings: [String] { ["active", "quarantined"] }
}

/// The filter of listed groups or topics.
struct SetFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only names that begin with this.", valueName: "text"))
    var prefix = ""

    @Option(help: ArgumentHelp("Only sets with at least this many devices.", valueName: "count"))
    var minDevices = 0
}
