package import CarillonCore
package import CarillonWire

/// The requests for what the server's session hands out. Tests and the fuzzer compare them with the requests that a
/// client sent.
extension AnyRequest {
    /// Makes the request that asks for a point read.
    package init(askingFor pointRead: PointRead, of app: AppID) {
        switch pointRead {
        case .device(let device): self.init(LookupRequest(app: app, device: device))
        case .status(let message): self.init(MessageStatusRequest(app: app, id: message))
        }
    }

    /// Makes the request that asks for a change; nil if no request asks for this change alone.
    package init?(askingFor change: Change) {
        switch change {
        case .register(let registration, now: _): self.init(registration)
        case .unregister(let unregistration, now: _): self.init(unregistration)
        case .updateDevice(let update): self.init(update)
        case .restore(let restoration, now: _): self.init(restoration)
        case .join(let join, sender: _, now: _) where join.leaving == nil: self.init(join)
        case .leave(let leave): self.init(leave)
        case .updateGroup(let update): self.init(update)
        case .subscribe(let subscription): self.init(SubscribeRequest(subscription))
        case .unsubscribe(let subscription): self.init(UnsubscribeRequest(subscription))
        default: return nil
        }
    }
}
