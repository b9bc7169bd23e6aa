package import CarillonCore

/// Writes the changes that the write-ahead log keeps as frames of their requests (Protocol 7 to 9).
///
/// These changes come by the million, and the codecs of requests are the fastest. All other changes have forms of the
/// log's own.
extension FrameWriter {
    /// Appends the request that asks for a change, if the log keeps the change as its request.
    ///
    /// - Returns: false, and nothing is appended, if the change has a form of the log's own: it is of another kind, or
    ///   a request cannot contain all of it.
    package mutating func loggedRequest(for change: Change, id: UInt64) -> Bool {
        // The table is not used, so that the compiler knows the types.
        switch change {
        case .register(let registration, _) where registration.isRequestable: request(registration, id: id)
        case .subscribe(let subscription) where subscription.isRequestable:
            request(SubscribeRequest(subscription), id: id)
        case .unsubscribe(let subscription) where subscription.isRequestable:
            request(UnsubscribeRequest(subscription), id: id)
        case .join(let join, sender: nil, now: _) where join.isRequestable: request(join, id: id)
        case .leave(let leave) where leave.isRequestable: request(leave, id: id)
        case .unregister(let unregistration, _) where unregistration.isRequestable: request(unregistration, id: id)
        case .updateDevice(let update) where update.isRequestable: request(update, id: id)
        default: return false
        }
        return true
    }
}

/// The limits of fields that several of these requests share. The reader of each field refuses what is beyond them.
extension DeviceReference {
    /// True if a request can name the device: it cannot name a token that is not valid for its kind.
    var isRequestable: Bool {
        if case .address(let address) = self { address.fault == nil } else { true }
    }
}

extension DeviceUpdate {
    /// True if a request can contain all of the update.
    var isRequestable: Bool { Self.isRequestable(locale: locale, timeZone: timeZone, attributes: attributes) }

    static func isRequestable(locale: String?, timeZone: String?, attributes: [AttributeChange]) -> Bool {
        (locale.map { $0.isEmpty || DeviceFieldSyntax.isLanguageTag($0) } ?? true)
            && (timeZone.map { $0.isEmpty || DeviceFieldSyntax.isTimeZone($0) } ?? true)
            && attributes.count <= Attributes.maximumCount && !attributes.contains { $0.key.isReserved }
    }
}
