package import CarillonCore

/// Requests that are one change of devices, groups or topics and send nothing: they come in great numbers too, and the registry
/// takes them as they are read.
extension Change {
    /// Reads the payload of such a request; nil if it is another. `bytes` are not kept.
    ///
    /// - Parameters:
    ///   - lastApp: the app of the client's last request, which spares making the same one again; then of this one.
    ///   - now: when it was read.
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        lastApp: inout AppID?,
        now: Timestamp
    ) throws(WireFault) -> (change: Change, app: AppID, common: CommonFields)? {
        var reader = PayloadReader(bytes, knownApp: lastApp)
        defer { lastApp = reader.knownApp }
        var common = CommonFields()
        // The app is taken first each time, so that the rest is moved and not copied.
        switch opcode {
        case .register:
            let it = try Registration(&reader, &common)
            let app = it.app
            return (.register(it, now: now), app, common)
        case .subscribe:
            let it = try Subscription(&reader, &common)
            let app = it.app
            return (.subscribe(it), app, common)
        case .unsubscribe:
            let it = try Subscription(&reader, &common)
            let app = it.app
            return (.unsubscribe(it), app, common)
        case .unregister:
            let it = try Unregistration(&reader, &common)
            let app = it.app
            return (.unregister(it.device, app: app, at: it.at, now: now), app, common)
        case .updateDevice:
            let it = try DeviceChange(&reader, &common)
            let app = it.app
            return (.update(it.device, app: app, it.update), app, common)
        case .restore:
            let it = try DeviceRestoration(&reader, &common)
            let app = it.app
            return (.restore(it.device, app: app, now: now), app, common)
        case .join:
            let it = try Join(&reader, &common)
            let app = it.app
            // An announcement is a message.
            return it.announcement == nil ? (.join(it, now: now), app, common) : nil
        case .leave:
            let it = try Leave(&reader, &common)
            let app = it.app
            return (.leave(it), app, common)
        case .updateGroup:
            let it = try GroupUpdate(&reader, &common)
            let app = it.app
            return (.mute(it.group, app: app, it.isMuted), app, common)
        default:
            return nil
        }
    }
}
