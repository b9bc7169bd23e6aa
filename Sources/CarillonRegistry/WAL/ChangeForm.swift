import CarillonCore
import CarillonWire

/// The log's own forms of changes, each with a number that is never given twice. A layout that changes gets a new
/// number, and the old one stays readable: the log outlives the program that wrote it.
///
/// A frame of a form has the head of a frame of the protocol (16 bytes, Protocol 3): its kind is `frameKind`, its flags
/// are 0, its opcode is the number of the form, and its id is the time of the change in milliseconds, or 0 for a change
/// without a time.
enum ChangeForm: UInt16, CaseIterable {
    /// Changes that take effect together: their frames. The id is their number.
    case together = 1
    case sweep = 2
    case configure = 3
    case register = 16
    case unregister = 17
    case updateDevice = 18
    case restore = 19
    case join = 32
    case leave = 33
    case updateGroup = 34
    case subscribe = 48
    case unsubscribe = 49
    case accept = 64
    case resend = 65
    case updateMessage = 66
    case releaseScheduled = 67
    case claim = 69
    case recordOutcomes = 80
    case finish = 81
    case countReceipts = 82
    case appendEvent = 96
    case acknowledge = 97
    case forgetSubscriber = 98

    /// The kind of a frame of the log alone. The protocol gives no number above 127.
    static let frameKind: UInt8 = 0x80
}

/// Which changes the log keeps as frames of their requests (Protocol 6 to 8), as it did before it had forms of its own.
///
/// They are those that come by the million: their codecs are the fastest. A request has limits that a change as a value
/// does not have; what is beyond them has a form of the log's own.
extension Change {
    /// True if the frame of the change's request contains all of the change.
    var isWholeInItsRequest: Bool {
        switch self {
        case .register(let registration, _):
            registration.topics.count <= Registration.maximumNames
                && registration.groups.count <= Registration.maximumNames
                && registration.replaces != registration.address.token
                && Self.canRequest(
                    locale: registration.locale, timeZone: registration.timeZone, attributes: registration.attributes)
        case .unregister: true
        case .updateDevice(let request):
            Self.canRequest(
                locale: request.update.locale, timeZone: request.update.timeZone,
                attributes: request.update.attributes)
        case .join(let join, let sender, _):
            join.leaving == nil && join.announcement == nil && sender == nil
                && (1...WireLimits.batch).contains(join.devices.count)
        case .leave(let leave): (1...WireLimits.batch).contains(leave.devices.count)
        case .subscribe(let subscription), .unsubscribe(let subscription): Self.canRequest(subscription)
        default: false
        }
    }

    private static func canRequest(locale: String?, timeZone: String?, attributes: [AttributeChange]) -> Bool {
        (locale.map { $0.isEmpty || DeviceField.isLanguageTag($0) } ?? true)
            && (timeZone.map { $0.isEmpty || DeviceField.isTimeZone($0) } ?? true)
            && attributes.count <= Attributes.maximumCount && !attributes.contains { $0.key.isReserved }
    }

    private static func canRequest(_ subscription: Subscription) -> Bool {
        let (devices, groups) = (subscription.devices.count, subscription.groups.count)
        return (1...WireLimits.names).contains(subscription.topics.count) && devices <= WireLimits.batch
            && groups <= WireLimits.batch && devices + groups > 0
            && subscription.topics.count * (devices + groups) <= Subscription.maximumPairs
    }
}
