import CarillonCore
import CarillonWire
import Logging

/// The log lines that name the client of each request with wide effect: one that addresses many devices, changes a
/// message, brings a device back, creates or deletes a broadcast channel, or removes a node. No line has a payload, a
/// token or a key.
struct AuditLog: Sendable {
    /// The requests that get a line: the setting `log.audit`.
    enum Scope: String, CaseIterable, Sendable {
        /// No request.
        case none
        /// SEND to an audience other than a list of devices, UPDATE_MESSAGE, RESEND, RESTORE, CREATE_CHANNEL,
        /// DELETE_CHANNEL and REMOVE_NODE.
        case wide
        /// The requests of `wide`, SEND to a list of devices, and announcements of JOIN and SWITCH.
        case all
    }

    /// The client of a request.
    struct Client: Sendable {
        let principal: String
        /// Its IP address, or `unix`; for a request in JSON also the port that it came by: `console 10.1.2.3`.
        let address: String
    }

    /// A line that is written when the request has taken effect. It is made before; the functions that make it return
    /// nil for a request that gets none.
    struct Line: Sendable {
        fileprivate let logger: Logger
        fileprivate let text: Logger.Message
        fileprivate var metadata: Logger.Metadata

        /// Writes the line of a message, unless it only repeats the answer of an earlier request.
        func write(_ acceptance: SendResult) {
            if !acceptance.isDuplicate { write(acceptance.id, total: acceptance.total) }
        }

        /// Writes the line of a request.
        ///
        /// - Parameters:
        ///   - message: the message of the request; nil if the request sent none.
        ///   - total: its recipients; nil if the request has not counted them.
        func write(_ message: MessageID? = nil, total: UInt32? = nil) {
            var metadata = metadata
            metadata["message"] = message.map { "\($0)" }
            metadata["total"] = total.map { "\($0)" }
            logger.info(text, metadata: metadata)
        }

        /// Writes the line of a node that was removed.
        func write(incarnation: UInt64) {
            var metadata = metadata
            metadata["incarnation"] = "\(incarnation)"
            logger.info(text, metadata: metadata)
        }

        /// Writes the line of a request about a broadcast channel.
        func write(channel: ChannelID) {
            var metadata = metadata
            metadata["channel"] = "\(channel)"
            logger.info(text, metadata: metadata)
        }
    }

    private let scope: Scope
    private let logger: Logger

    /// Makes the log of the requests of `scope`.
    ///
    /// - Parameter logger: its level is set to `info`: `scope` alone decides which lines are written.
    init(_ scope: Scope, logger: Logger) {
        self.scope = scope
        var logger = logger
        logger.logLevel = .info
        self.logger = logger
    }

    func makeLine(of message: Message, by client: Client) -> Line? {
        guard scope == .all || (scope == .wide && message.audience.isWide) else { return nil }
        var line = makeLine("message accepted", of: SendRequest.self, app: message.content.app, by: client)
        line.metadata["audience"] = "\(message.audience.kind)"
        line.metadata["label"] = message.label.map { "\($0)" }
        line.metadata["trace_id"] = message.traceParent.map { "\($0.traceID)" }
        line.metadata["span_id"] = message.traceParent.map { "\($0.parentID)" }
        return line
    }

    /// Returns the line of the announcement of a JOIN or SWITCH; nil if the announcement gets none.
    func makeLine(ofAnnouncement join: JoinRequest, by client: Client) -> Line? {
        guard scope == .all, join.announcement != nil else { return nil }
        var line =
            join.leaving == nil
            ? makeLine("announcement accepted", of: JoinRequest.self, app: join.app, by: client)
            : makeLine("announcement accepted", of: SwitchGroupRequest.self, app: join.app, by: client)
        line.metadata["audience"] = "groups"
        return line
    }

    func makeLine(of update: UpdateMessageRequest, by client: Client) -> Line? {
        guard scope != .none else { return nil }
        var line = makeLine("message updated", of: UpdateMessageRequest.self, app: update.app, by: client)
        switch update.messageUpdate {
        case .cancel: line.metadata["action"] = "cancel"
        case .pause: line.metadata["action"] = "pause"
        case .resume: line.metadata["action"] = "resume"
        case .pace(let pace):
            line.metadata["action"] = "pace"
            line.metadata["pace"] = pace.map { "\($0)" } ?? "none"
        }
        return line
    }

    func makeLine(of resend: ResendRequest, by client: Client) -> Line? {
        guard scope != .none else { return nil }
        var line = makeLine("message resent", of: ResendRequest.self, app: resend.app, by: client)
        line.metadata["audience"] = "devices"
        line.metadata["resent"] = "\(resend.id)"
        return line
    }

    /// Returns true if the change gets a line: RESTORE, which operators make by hand.
    static func hasLine(_ change: Opcode) -> Bool { change == .restore }

    /// Returns the line of a change for which `hasLine` is true, with its answer; nil if the change gets none.
    func makeLine(of answer: ChangeAnswer, app: AppID, by client: Client) -> Line? {
        guard scope != .none, case .updated(let device) = answer else { return nil }
        var line = makeLine("device restored", of: RestoreRequest.self, app: app, by: client)
        line.metadata["device"] = "\(device)"
        return line
    }

    func makeLine(of creation: CreateChannelRequest, by client: Client) -> Line? {
        guard scope != .none else { return nil }
        var line = makeLine("channel created", of: CreateChannelRequest.self, app: creation.app, by: client)
        line.metadata["environment"] = "\(creation.environment.name)"
        line.metadata["storage_policy"] = "\(creation.storagePolicy.name)"
        return line
    }

    func makeLine(of deletion: DeleteChannelRequest, by client: Client) -> Line? {
        guard scope != .none else { return nil }
        var line = makeLine("channel deleted", of: DeleteChannelRequest.self, app: deletion.app, by: client)
        line.metadata["environment"] = "\(deletion.environment.name)"
        return line
    }

    func makeLine(of removal: RemoveNodeRequest, by client: Client) -> Line? {
        guard scope != .none else { return nil }
        var line = makeLine("node removed", of: RemoveNodeRequest.self, app: nil, by: client)
        line.metadata["node"] = "\(removal.node)"
        return line
    }

    private func makeLine<O: Operation>(
        _ text: Logger.Message, of operation: O.Type, app: AppID?, by client: Client
    ) -> Line {
        var metadata: Logger.Metadata = [
            "principal": "\(client.principal)", "address": "\(client.address)",
            "operation": "\(operation.tableRow.name)",
        ]
        metadata["app"] = app.map { "\($0)" }
        return Line(logger: logger, text: text, metadata: metadata)
    }
}

extension Audience {
    /// The kind of audience, as the protocol names it.
    fileprivate var kind: String {
        switch self {
        case .devices: "devices"
        case .groups: "groups"
        case .topic: "topic"
        case .condition: "condition"
        case .all: "all"
        case .channel: "channel"
        }
    }

    /// True if the audience is not a list of devices.
    fileprivate var isWide: Bool {
        if case .devices = self { false } else { true }
    }
}
