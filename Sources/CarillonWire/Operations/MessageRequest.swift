package import CarillonCore

/// A request that the server runs in its own way: it sends a message, changes one, is several changes, or is about what
/// belongs to its principal.
package enum MessageRequest: Hashable, Sendable {
    case registerBatch(RegisterBatchRequest)
    /// With an announcement; without one a JOIN is a change.
    case join(Join)
    case switchGroup(SwitchGroupRequest)
    case send(Message)
    case updateMessage(UpdateMessageRequest)
    case resend(ResendRequest)
    case receipts(ReceiptsRequest)
    case forgetSubscriber(ForgetSubscriberRequest)

    /// The request.
    package var operation: any Operation {
        switch self {
        case .registerBatch(let batch): batch
        case .join(let join): join
        case .switchGroup(let groupSwitch): groupSwitch
        case .send(let message): message
        case .updateMessage(let update): update
        case .resend(let resend): resend
        case .receipts(let batch): batch
        case .forgetSubscriber(let removal): removal
        }
    }
}
