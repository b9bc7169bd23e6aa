package import CarillonHTTP2
package import CarillonHTTP2Server
import Foundation
package import NIOCore

/// The push service that a program simulates, as its connections and its control port need it.
package protocol SimulatedService: AnyObject, Sendable {
    /// The commands of the control port, for `--help` and errors.
    static var commands: String { get }
    var connections: OpenConnections { get }
    /// The counters as one JSON line.
    var stats: String { get }
    /// The GOAWAY of the command `goaway`.
    var goAway: Fault.GoAway { get }

    /// Calls `body` with exclusive access to the faults.
    func withFaults<Result: Sendable>(_ body: (inout Faults) throws -> Result) rethrows -> Result
    /// Adds a rule, which is a line of JSON.
    func addRule(_ json: String) throws
    /// Removes faults and responses of rules, but not the states of devices.
    func removeFaults()
    /// Forgets the counts and the records.
    func reset()
    /// Carries out a command that not every service has; nil if the command is unknown.
    func carryOut(_ command: ControlCommand) -> ControlResponse?
}

extension SimulatedService {
    /// Adds the rules of a file, which has one in each line.
    package func addRules(file path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.allSatisfy(\.isWhitespace) {
            do { try addRule(String(line)) } catch {
                throw SimulatorError(text: "\(path), line \(number + 1): \(error)")
            }
        }
    }

    /// Starts the faults for all open connections, each after its delay.
    func startPendingFaults(on loop: any EventLoop) {
        for fault in withFaults({ $0.removePending() }) {
            if fault.afterMilliseconds == 0 {
                connections.sendToAll(.fault(fault.action))
            } else {
                loop.scheduleTask(in: .milliseconds(fault.afterMilliseconds)) { [connections] in
                    connections.sendToAll(.fault(fault.action))
                }
            }
        }
    }

    /// Returns the faults that happen to a connection at a stage of its life.
    func faults(at stage: Fault.Stage) -> [Fault.Action] {
        withFaults { $0.happening(stage, at: millisecondsSince1970()).map(\.action) }
    }

    /// Returns true if a fault may happen to a connection at a stage of its life.
    func mayHaveFaults(at stage: Fault.Stage) -> Bool { withFaults { $0.mayHappen(stage) } }
}

/// The part of a connection that is the service's own. It judges the requests of one client, and responds to them.
package protocol Responder: AnyObject {
    /// Begins the service's part of a connection whose TLS is complete, before any request is read. To refuse the
    /// client, it ends the connection.
    func connectionOpened(_ connection: SimulatorConnection, on context: ChannelHandlerContext) throws
    /// Responds to the requests that were received, now or later.
    func respond(on connection: SimulatorConnection, in context: ChannelHandlerContext) throws
    /// Applies a stream limit that has changed for all connections.
    func maxStreamsChanged(to limit: UInt32, on connection: SimulatorConnection) throws
}

extension Responder {
    package func connectionOpened(_ connection: SimulatorConnection, on context: ChannelHandlerContext) throws {}

    package func maxStreamsChanged(to limit: UInt32, on connection: SimulatorConnection) throws {
        try connection.http.update(maxConcurrentStreams: limit)
    }
}

/// The settings that differ between the connections of the simulated services.
package struct ConnectionSettings {
    package var http2 = HTTP2ServerSettings()
    /// True if SETTINGS are sent together with the end of the server's handshake, so that a client that reads before it
    /// writes knows its stream limit in time.
    package var sendsSettingsEarly = false
    /// The GOAWAY for a client that exceeds its stream limit.
    package var streamLimitExceeded: (code: HTTP2ErrorCode, text: String)
    /// The most PINGs that a client may send on one connection; nil without limit.
    package var maximumPings: Int?
    /// The idle time, in milliseconds, after which a connection gets a GOAWAY; nil without limit.
    package var idleMilliseconds: Int64?

    package init(streamLimitExceeded: (code: HTTP2ErrorCode, text: String)) {
        self.streamLimitExceeded = streamLimitExceeded
    }
}
