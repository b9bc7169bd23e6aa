package import CarillonCore

extension FrameWriter {
    /// Appends the request that asks for a change. The log of the registry keeps changes in this form.
    ///
    /// - Returns: false, and nothing is appended, if no request asks for this change alone.
    package mutating func request(for change: Change, id: UInt64) -> Bool {
        switch change {
        case .register(let registration, _): request(registration, id: id)
        case .unregister(let device, let app, let at, _):
            request(Unregistration(app: app, device: device, at: at), id: id)
        case .update(let device, let app, let update):
            request(DeviceChange(app: app, device: device, update: update), id: id)
        case .restore(let device, let app, _): request(DeviceRestoration(app: app, device: device), id: id)
        case .join(let join, _):
            guard join.leaving == nil else { return false }
            request(join, id: id)
        case .leave(let leave): request(leave, id: id)
        case .mute(let group, let app, let isMuted):
            request(GroupUpdate(app: app, group: group, isMuted: isMuted), id: id)
        case .subscribe(let subscription): request(Subscribe(subscription), id: id)
        case .unsubscribe(let subscription): request(Unsubscribe(subscription), id: id)
        case .accept, .record, .updateMessage, .resend, .release, .count, .note, .acknowledge, .finish: return false
        }
        return true
    }
}
