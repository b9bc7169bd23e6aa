import CarillonCommandLine
import CarillonCore

/// Formats a delivery obstacle for users and as JSON.
extension DeliveryObstacle {
    /// The obstacle as JSON; its names are stable.
    var json: JSON {
        .members([
            "kind": .text(kind.description), "credential": .text(credential), "environment": .text(environment.name),
            "since_ms": since.map { .number($0.milliseconds) },
            "next_attempt_ms": nextAttemptAt.map { .number($0.milliseconds) },
            "cause": cause.map { .text($0.rawValue) }, "reason": reason.isEmpty ? nil : .text(reason),
        ])
    }

    /// Returns the obstacle on one line: the pool, its fault, the time since which it exists, and the time of the next
    /// attempt.
    func line(at now: Timestamp) -> String {
        var parts = ["\(credential) \(environment.name)"]
        switch kind {
        case .unreachable: parts.append("cannot connect: \(explanation)")
        case .credentialRefused: parts.append("the credential is refused")
        default: parts.append(kind.description)
        }
        if let since { parts.append("since \(TimeSpan(milliseconds: now.milliseconds(since: since)).text)") }
        if let nextAttemptAt {
            parts.append(nextAttemptAt > now ? "next attempt \(nextAttemptAt.relative(to: now))" : "next attempt now")
        }
        return parts.joined(separator: ", ")
    }

    /// The last failure, with its most common meaning.
    private var explanation: String {
        let hint: String? =
            switch cause {
            case .certificateExpired?, .certificateNotYetValid?: "is the clock of the server right?"
            case .certificateIssuer?, .certificateName?: "does a proxy on the way decrypt TLS?"
            case .dns?: "does the server's machine know the name?"
            case .refused?, .timeout?: "is a firewall in the way?"
            case .tlsAlert?: "is the certificate of the credential in force?"
            default: nil
            }
        let text = reason.isEmpty ? cause?.rawValue ?? "for an unknown reason" : reason
        return text + (hint.map { " (\($0))" } ?? "")
    }
}

/// The notes for a user who waits for a message about the reasons of the wait: one for each obstacle and cause, on
/// standard error.
struct ObstacleNotes {
    private var shown: Set<DeliveryObstacle> = []

    /// Prints the obstacles that were not printed yet.
    mutating func show(_ obstacles: [DeliveryObstacle], at now: Timestamp) {
        for line in lines(for: obstacles, at: now) { StandardError.warn(line) }
    }

    /// Returns the lines for the obstacles that were not shown yet.
    mutating func lines(for obstacles: [DeliveryObstacle], at now: Timestamp) -> [String] {
        obstacles.compactMap { obstacle in
            // The times change with each attempt, so they do not count: only another cause is news.
            var known = obstacle
            known.since = nil
            known.nextAttemptAt = nil
            return shown.insert(known).inserted ? "the message waits: \(obstacle.line(at: now))" : nil
        }
    }
}
