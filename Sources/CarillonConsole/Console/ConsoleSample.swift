package import CarillonCore
import CarillonGateway

/// What the server does at one time: what STATISTICS tells any client, and what the console shows beyond it.
package struct ConsoleSample: Sendable {
    /// The statistics, without the counts of the apps.
    package var statistics: ServerStatistics
    /// Recipients of the messages that are sent, by outcome.
    package var outcomes: [MessageID: [Outcome: UInt64]] = [:]
    /// The open connections to providers, in any order.
    package var connections: [Connection] = []
    /// Where a provider calls too many tokens bad.
    package var tokenAlarms: [TokenAlarm] = []

    /// Makes a sample of the statistics alone.
    package init(_ statistics: ServerStatistics) { self.statistics = statistics }

    /// An app, and a service that calls too many of its tokens bad.
    package struct TokenAlarm: Hashable, Sendable {
        var app: AppID
        var service: PushService

        /// Makes an alarm.
        package init(app: AppID, service: PushService) {
            self.app = app
            self.service = service
        }
    }

    /// One connection to a provider.
    package struct Connection: Hashable, Sendable {
        var credential: String
        var environment: Environment
        /// Its name among the connections of the credential and the environment, as in metrics.
        var label: String
        /// Pushes that are not answered.
        var inFlight: Int
        /// Streams that may be open at a time.
        var streams: Int
        /// Bytes of bodies that the provider takes before it opens the connection's window further.
        var window: Int
        /// The round-trip time in microseconds; nil if it is not known.
        var roundTripMicroseconds: UInt32?
        /// Pushes answered since the connection was made.
        var answers: Int
        /// The most pushes a second that it gets, if it is served worse than the others; nil if it is not limited.
        var rate: Int?

        /// Makes a connection.
        package init(
            credential: String, environment: Environment, label: String, inFlight: Int, streams: Int, window: Int,
            roundTripMicroseconds: UInt32?, answers: Int, rate: Int?
        ) {
            self.credential = credential
            self.environment = environment
            self.label = label
            self.inFlight = inFlight
            self.streams = streams
            self.window = window
            self.roundTripMicroseconds = roundTripMicroseconds
            self.answers = answers
            self.rate = rate
        }
    }
}

extension ConsoleSample {
    /// Appends the members `connections` and `token_alarms` to an object.
    func append(to output: inout JSONOutput) {
        output.name("connections")
        let sorted = connections.sorted {
            ($0.credential, $0.environment.rawValue, $0.label) < ($1.credential, $1.environment.rawValue, $1.label)
        }
        output.array { output in for each in sorted { each.append(to: &output) } }
        output.name("token_alarms")
        output.array { output in
            for alarm in tokenAlarms {
                output.object { output in
                    output.member("app", alarm.app.name)
                    output.member("environment", alarm.service.name)
                }
            }
        }
    }
}

extension ConsoleSample.Connection {
    fileprivate func append(to output: inout JSONOutput) {
        output.object { output in
            output.member("credential", credential)
            output.member("environment", environment.name)
            output.member("connection", label)
            output.member("in_flight", inFlight)
            output.member("streams", streams)
            output.member("window_bytes", window)
            if let roundTripMicroseconds { output.member("round_trip_micros", roundTripMicroseconds) }
            output.member("answers", answers)
            if let rate { output.member("rate", rate) }
        }
    }
}
