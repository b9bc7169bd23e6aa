import CarillonCluster

/// An error that the log database has answered.
struct SQLFault: Hashable, Sendable {
    /// The five letters and digits by which log databases name an error (PostgreSQL, appendix A); empty if the error is
    /// not the log database's.
    var state: String
    /// The log database's text about the error.
    var message: String

    /// The meaning of an error for the call that got it.
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
        // serialization_failure, deadlock_detected.
        case "40001", "40P01": .rolledBack
        // transaction_resolution_unknown, statement_completion_unknown: CockroachDB's ambiguous result.
        case "08007", "40003": .unknown
        // read_only_sql_transaction: the host has become a standby. crash_shutdown and its like.
        // invalid_sql_statement_name: a pooler has changed the session.
        case "25006", "57P01", "57P02", "57P03", "57P05", "26000", "": .reconnect
        // lock_not_available, query_canceled, idle_in_transaction_session_timeout.
        case "55P03", "57014", "25P03": .unavailable
        default: Self.classes[String(state.prefix(2))] ?? .refused
        }
    }

    private static let classes: [String: Meaning] = [
        // Connection exceptions; insufficient resources: disk full, too many connections; system errors; internal
        // errors; transactions that were rolled back.
        "08": .reconnect, "53": .unavailable, "58": .unavailable, "XX": .unavailable, "40": .rolledBack,
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
