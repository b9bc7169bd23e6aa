public import CarillonCore

/// A topic as it is listed.
public struct TopicSummary: Hashable, Sendable {
    /// The name of the topic.
    public var topic: TopicName
    /// The number of devices in the topic, each once, however many sources it has.
    public var devices: Int

    /// Makes the row of a topic.
    public init(topic: TopicName, devices: Int) {
        self.topic = topic
        self.devices = devices
    }
}
