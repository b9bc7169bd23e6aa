/// A pool as metrics and tests see it.
extension PushPool {
    /// The current state of a pool, for metrics and tests.
    package struct Statistics: Hashable, Sendable {
        /// The number of connections that take work or are being opened.
        package var connections: Int
        /// The number of connections that are being opened: the SETTINGS of the provider were not received yet.
        package var opening: Int
        /// The number of connections that take no new work and wait for answers.
        package var draining: Int
        /// The number of pushes that are not answered.
        package var inFlight: Int
        /// The number of streams that may be open at a time on the connections that take pushes.
        package var maximumStreams = 0
        /// True if there has been no connection for a while.
        package var isUnreachable = false
        /// The connections that are open, by label.
        package var byLabel: [ConnectionLabel: Connection] = [:]

        /// The statistics of a pool that no longer exists.
        package static let empty = Statistics(connections: 0, opening: 0, draining: 0, inFlight: 0)

        package struct Connection: Hashable, Sendable {
            /// The number of pushes that are not answered.
            package var inFlight: Int
            /// The number of streams that may be open at a time.
            package var maximumStreams: Int
            /// The number of pushes answered since the connection was made.
            package var answers: Int
            /// The most pushes a second that the connection gets, if it is served worse than the others; nil if it is
            /// not limited.
            package var maximumPushesPerSecond: Int?
            /// The bytes of bodies that the provider takes before it opens the connection's window further. Sampled
            /// four times a second.
            package var windowBytes = 0
            /// The round-trip time that the kernel has measured, in microseconds; to the proxy if there is one. Nil
            /// until it has measured one. Sampled four times a second.
            package var roundTripMicroseconds: UInt32?

            /// The state of a label whose connection is closed.
            package static let empty = Connection(inFlight: 0, maximumStreams: 0, answers: 0)
        }
    }
}
