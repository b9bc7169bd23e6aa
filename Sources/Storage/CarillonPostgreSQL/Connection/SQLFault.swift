import CarillonCluster

/// An error that the log database has answered.
struct SQLFault: Hashable, Sendable {
    /// The code of the error: five letters and digits (PostgreSQL, appendix A); empty if the error is not the log
    /// database's.
    var state: String
    /// The log database's text about the error.
    var message: String

    /// The consequence of an error for the call that got it.
    enum Meaning: Hashable {
        /// The transaction was rolled back for the sake of another: the call is made again after a short delay.
        case rolledBack
        /// The log database cannot carry out the call now.
        case unavailable
        /// The log database cannot carry out the call now, and not on this connection: it is shutting down, or has
        /// become a standby.
        case reconnect
        /// The log database does not say whether the transaction was committed.
        case unknown
        /// An operator must act.
        case refused
    }

    var meaning: Meaning {
        switch state {
        case SQLState.serializationFailure, SQLState.deadlockDetected: .rolledBack
        // CockroachDB's ambiguous result.
        case SQLState.transactionResolutionUnknown, SQLState.statementCompletionUnknown: .unknown
        // The host has become a standby.
        case SQLState.readOnlySQLTransaction: .reconnect
        case SQLState.adminShutdown, SQLState.crashShutdown, SQLState.cannotConnectNow, SQLState.idleSessionTimeout:
            .reconnect
        // A pooler has changed the session.
        case SQLState.invalidSQLStatementName: .reconnect
        // The error is the connection's.
        case "": .reconnect
        case SQLState.lockNotAvailable, SQLState.queryCancelled, SQLState.idleInTransactionSessionTimeout: .unavailable
        default: Self.meaningsOfClasses[String(state.prefix(2))] ?? .refused
        }
    }

    /// The meanings of the states that ``meaning`` does not name, by their first two characters.
    private static let meaningsOfClasses: [String: Meaning] = [
        // Connection exceptions.
        "08": .reconnect,
        // Transactions that were rolled back.
        "40": .rolledBack,
        // Insufficient resources, such as a full disk or too many connections.
        "53": .unavailable,
        // System errors.
        "58": .unavailable,
        // Internal errors.
        "XX": .unavailable,
    ]

    /// The failure that a call reports, with its effect: none, unless the log database does not say whether it has
    /// committed.
    var failure: LogError {
        switch meaning {
        case .rolledBack, .unavailable, .reconnect: .unavailable(.none, description)
        case .unknown: .unavailable(.unknown, description)
        case .refused where state == SQLState.undefinedTable:
            .refused("the tables of the log are missing: \(description)")
        case .refused: .refused(description)
        }
    }

    private var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// Returns the state in libpq's message about a connection that was not made, which has the form `FATAL:  28P01:
    /// …`. libpq has no function for it.
    static func state(inVerbose message: String) -> String? {
        for part in message.split(separator: ":") {
            let word = part.drop { $0 == " " }
            if word.utf8.count == 5, word.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
                word.utf8.contains(where: { (48...57).contains($0) })
            {
                return String(word)
            }
        }
        return nil
    }
}
