import CarillonCore
import CarillonWire

/// The changes that the log keeps as frames of their requests (Protocol 7 to 9).
///
/// These changes come by the million, and the codecs of requests are the fastest. A request has limits that a change
/// does not have: a change beyond these limits has a form of the log's own.
extension Change {
    /// True if the frame of the change's request contains all of the change.
    var isExpressedByItsRequest: Bool {
        switch self {
        case .register(let registration, _):
            registration.topics.count <= Registration.maximumNames
                && registration.groups.count <= Registration.maximumNames
                && registration.replaces != registration.address.token && registration.address.fault == nil
                && (registration.subscription == nil || registration.address.kind == .web)
                && Self.canRequest(
                    locale: registration.locale, timeZone: registration.timeZone, attributes: registration.attributes)
        case .unregister(let request, _): Self.canRequest([request.device])
        case .updateDevice(let request):
            Self.canRequest([request.device])
                && Self.canRequest(
                    locale: request.update.locale, timeZone: request.update.timeZone,
                    attributes: request.update.attributes)
        case .join(let join, let sender, _):
            join.leaving == nil && join.announcement == nil && sender == nil
                && (1...WireLimits.batchItems).contains(join.devices.count) && Self.canRequest(join.devices)
        case .leave(let leave):
            (1...WireLimits.batchItems).contains(leave.devices.count) && Self.canRequest(leave.devices)
        case .subscribe(let subscription), .unsubscribe(let subscription): Self.canRequest(subscription)
        default: false
        }
    }

    private static func canRequest(locale: String?, timeZone: String?, attributes: [AttributeChange]) -> Bool {
        (locale.map { $0.isEmpty || DeviceFieldSyntax.isLanguageTag($0) } ?? true)
            && (timeZone.map { $0.isEmpty || DeviceFieldSyntax.isTimeZone($0) } ?? true)
            && attributes.count <= Attributes.maximumCount && !attributes.contains { $0.key.isReserved }
    }

    /// Returns true if a request can name the devices. It cannot name a token that is not valid for its kind.
    private static func canRequest(_ devices: [DeviceReference]) -> Bool {
        devices.allSatisfy { if case .address(let address) = $0 { address.fault == nil } else { true } }
    }

    private static func canRequest(_ subscription: TopicSubscription) -> Bool {
        let (devices, groups) = (subscription.devices.count, subscription.groups.count)
        return (1...WireLimits.namesPerRequest).contains(subscription.topics.count) && devices <= WireLimits.batchItems
            && groups <= WireLimits.batchItems && devices + groups > 0 && canRequest(subscription.devices)
            && subscription.topics.count * (devices + groups) <= TopicSubscription.maximumPairs
    }
}
