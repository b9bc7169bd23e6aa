public import CarillonCore

/// A topic as it is listed.
public struct TopicSummary: Hashable, Sendable {
    /// The name. A listing ascends by it.
    public var topic: TopicName
    /// The number of devices in the topic, each once, however many sources it has.
    public var devices: Int

    /// Makes a row as a server answers it, for tests of a program.
    public init(topic: TopicName, devices: Int) {
        self.topic = topic
        self.devices = devices
    }
}
