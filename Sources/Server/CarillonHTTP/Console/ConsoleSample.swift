package import CarillonCore

/// The state of the server at one time: the statistics that any client gets, and the values that the console shows
/// beyond them.
package struct ConsoleSample: Sendable {
    /// The statistics, without the counts of the apps.
    package var statistics: ServerStatistics
    /// The recipients of the messages that are sent, by outcome.
    package var outcomes: [MessageID: [Outcome: UInt64]] = [:]
    /// The open connections to providers, in any order.
    package var connections: [ProviderConnection] = []
    /// The alarms of apps, each because a provider calls too many of its tokens bad.
    package var badTokenAlarms: [BadTokenAlarm] = []

    /// The number of pushes that each provider has accepted since the start.
    package var accepted: [Provider: UInt64] = [:]
    /// The nodes of the cluster, by name; empty for a single server.
    package var nodes: [NodeRow] = []

    package init(_ statistics: ServerStatistics) { self.statistics = statistics }

    /// The alarm that a destination calls too many tokens of an app bad.
    package struct BadTokenAlarm: Hashable, Sendable {
        var app: AppID
        var destination: PushDestination

        package init(app: AppID, destination: PushDestination) {
            self.app = app
            self.destination = destination
        }
    }

    /// A node of the cluster, as this node saw it last.
    package struct NodeRow: Hashable, Sendable {
        package var name: String
        /// True for the node that answers.
        package var isThisNode: Bool
        /// True while the node's incarnation lasts: the node has not left, and was not expired.
        package var isLive: Bool
        /// The position of the last entry of the shared log that the node had.
        package var position: UInt64
        /// The number of entries of the shared log that the node did not have.
        package var lagEntries: UInt64
        /// The milliseconds since the node was heard of.
        package var silenceMilliseconds: UInt64
        /// How long this node may still begin pushes if its lease is not renewed, in milliseconds; nil for other nodes.
        package var leaseMilliseconds: UInt64?
        /// The version of the node's program.
        package var version: String
        /// The address by which clients reach the node; empty if it does not say.
        package var address: String

        package init(
            name: String, isThisNode: Bool, isLive: Bool, position: UInt64, lagEntries: UInt64,
            silenceMilliseconds: UInt64, leaseMilliseconds: UInt64?, version: String, address: String
        ) {
            self.name = name
            self.isThisNode = isThisNode
            self.isLive = isLive
            self.position = position
            self.lagEntries = lagEntries
            self.silenceMilliseconds = silenceMilliseconds
            self.leaseMilliseconds = leaseMilliseconds
            self.version = version
            self.address = address
        }
    }

    /// One open connection to a provider, as the console lists it.
    package struct ProviderConnection: Hashable, Sendable {
        var credential: String
        var environment: APNsEnvironment
        var provider: Provider
        /// The connection's name among those of the credential and the environment, as in metrics.
        var label: String
        /// The number of pushes that are not answered.
        var inFlight: Int
        /// The number of streams that may be open at a time.
        var streams: Int
        /// The bytes of bodies that the provider takes before it opens the connection's window further.
        var windowBytes: Int
        /// The round-trip time in microseconds; nil if it is not known.
        var roundTripMicroseconds: UInt32?
        /// The number of pushes answered since the connection was made.
        var answers: Int
        /// The most pushes a second that the connection gets, if it is served worse than the others; nil if it is not
        /// limited.
        var maximumPushesPerSecond: Int?

        package init(
            credential: String, environment: APNsEnvironment, provider: Provider, label: String, inFlight: Int,
            streams: Int, windowBytes: Int, roundTripMicroseconds: UInt32?, answers: Int, maximumPushesPerSecond: Int?
        ) {
            self.credential = credential
            self.environment = environment
            self.provider = provider
            self.label = label
            self.inFlight = inFlight
            self.streams = streams
            self.windowBytes = windowBytes
            self.roundTripMicroseconds = roundTripMicroseconds
            self.answers = answers
            self.maximumPushesPerSecond = maximumPushesPerSecond
        }
    }
}

extension ConsoleSample {
    /// Appends the members `connections`, `nodes` and `token_alarms` to an object.
    func append(to output: inout JSONStreamWriter) {
        output.name("connections")
        let sorted = connections.sorted {
            ($0.credential, $0.environment.rawValue, $0.label) < ($1.credential, $1.environment.rawValue, $1.label)
        }
        output.array { output in for each in sorted { each.append(to: &output) } }
        output.name("nodes")
        output.array { output in for each in nodes { each.append(to: &output) } }
        output.name("token_alarms")
        output.array { output in
            for alarm in badTokenAlarms {
                output.object { output in
                    output.member("app", alarm.app.name)
                    output.member("environment", alarm.destination.name)
                }
            }
        }
    }
}

extension ConsoleSample.NodeRow {
    fileprivate func append(to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("node", name)
            output.member("is_this", isThisNode)
            output.member("is_live", isLive)
            output.member("position", position)
            output.member("lag_entries", lagEntries)
            output.member("silence_ms", silenceMilliseconds)
            if let leaseMilliseconds { output.member("lease_ms", leaseMilliseconds) }
            output.member("version", version)
            output.member("address", address)
        }
    }
}

extension ConsoleSample.ProviderConnection {
    fileprivate func append(to output: inout JSONStreamWriter) {
        output.object { output in
            output.member("credential", credential)
            output.member("environment", environment.name)
            output.member("provider", provider.name)
            output.member("connection", label)
            output.member("in_flight", inFlight)
            output.member("streams", streams)
            output.member("window_bytes", windowBytes)
            if let roundTripMicroseconds { output.member("round_trip_micros", roundTripMicroseconds) }
            output.member("answers", answers)
            if let maximumPushesPerSecond { output.member("maximum_pushes_per_second", maximumPushesPerSecond) }
        }
    }
}
