package import CarillonCore

/// A request SUBSCRIBE or UNSUBSCRIBE: they have the same payload and the same answer (Protocol 9.1). Each wraps the
/// value, because the value alone does not say which of both it is.
package protocol SubscriptionOperation: ChangeOperation where Answer == MembershipChangeAnswer {
    var subscription: TopicSubscription { get }
    init(_ subscription: TopicSubscription)
}

extension SubscriptionOperation {
    package var app: AppID { subscription.app }

    package static func answer(_ answer: ChangeAnswer) -> MembershipChangeAnswer? {
        if case .membership(let answer) = answer { MembershipChangeAnswer(answer) } else { nil }
    }

    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(try TopicSubscription(from: &reader, common: &common))
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        subscription.write(to: &writer, common: common)
    }
}

/// The payload of SUBSCRIBE and UNSUBSCRIBE (Protocol 9.1).
extension TopicSubscription {
    /// True if a request can contain all of the value.
    var isRequestable: Bool {
        let devices = devices.count
        let groups = groups.count
        return (1...WireLimits.namesPerRequest).contains(topics.count) && devices <= WireLimits.batchItems
            && groups <= WireLimits.batchItems && devices + groups > 0
            && self.devices.allSatisfy { $0.isRequestable } && topics.count * (devices + groups) <= Self.maximumPairs
    }

    init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            topics: try reader.topics(1...WireLimits.namesPerRequest),
            devices: try reader.devices(0...WireLimits.batchItems),
            groups: try reader.groups(0...WireLimits.batchItems)
        )
        let subscribers = devices.count + groups.count
        if subscribers == 0 { reader.recordInvalid("devices", because: "there are neither devices nor groups") }
        if topics.count * subscribers > Self.maximumPairs {
            let text = "\(topics.count) topics for \(subscribers) devices and groups"
            reader.recordInvalid("topics", because: text, limit: UInt64(Self.maximumPairs))
        }
        try common.finish(&reader)
    }

    func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.list(topics) { $0.string($1.name) }
        writer.list(devices) { $0.device($1) }
        writer.list(groups) { $0.string($1.name) }
        writer.tags(common)
    }
}
