package import CarillonCore

/// A request that the server runs alone, not together with others: each case has a function of its own in
/// `RequestRunner`.
///
/// Point reads, listings and single changes of all operations are run alike. An individual request is none of these: it
/// sends or changes a message, makes several changes, forgets a subscriber, counts receipts, manages a broadcast
/// channel of APNs, or removes a node.
package enum IndividualRequest: Hashable, Sendable {
    case registerBatch(RegisterBatchRequest)
    /// A JOIN with an announcement; without one a JOIN is a change.
    case join(JoinRequest)
    case switchGroup(SwitchGroupRequest)
    case send(Message)
    case updateMessage(UpdateMessageRequest)
    case resend(ResendRequest)
    case receipts(ReceiptsRequest)
    case forgetSubscriber(ForgetSubscriberRequest)
    case createChannel(CreateChannelRequest)
    case channel(ChannelRequest)
    case channels(ChannelsRequest)
    case deleteChannel(DeleteChannelRequest)
    case removeNode(RemoveNodeRequest)

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
        case .createChannel(let creation): creation
        case .channel(let request): request
        case .channels(let listing): listing
        case .deleteChannel(let deletion): deletion
        case .removeNode(let removal): removal
        }
    }

    /// Returns the request with so low a `limit` that its page has at most `bytes` of payload, at least 4,096.
    package func boundingPage(toBytes bytes: UInt32) -> IndividualRequest {
        if case .channels(let listing) = self { .channels(listing.boundingPage(toBytes: bytes)) } else { self }
    }
}
