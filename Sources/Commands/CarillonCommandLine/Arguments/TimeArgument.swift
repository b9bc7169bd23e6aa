import CarillonArguments
package import CarillonCore

/// An argument for a point of time: `2026-07-01T12:00:00Z` or milliseconds since 1970.
package struct TimeArgument: ExplainedArgument, Equatable {
    package var time: Timestamp

    package init?(argument: String) {
        guard let time = Timestamp(text: argument) else { return nil }
        self.time = time
    }

    package static func fault(of argument: String) -> String {
        "a time is 2026-07-01T12:00:00Z, or milliseconds since 1970"
    }
}

/// An argument for a point of time, or for a duration from now, such as `+10m`.
package enum TimeOrSpanArgument: ExplainedArgument, Equatable {
    case time(Timestamp)
    case fromNow(TimeSpan)

    package init?(argument: String) {
        if argument.hasPrefix("+") {
            guard let span = TimeSpan(argument: String(argument.dropFirst())) else { return nil }
            self = .fromNow(span)
        } else {
            guard let time = Timestamp(text: argument) else { return nil }
            self = .time(time)
        }
    }

    package static func fault(of argument: String) -> String {
        argument.hasPrefix("+")
            ? TimeSpan.fault(of: argument) : TimeArgument.fault(of: argument) + ", or from now as +10m"
    }

    package func time(at now: Timestamp) -> Timestamp {
        switch self {
        case .time(let time): time
        case .fromNow(let span): now.later(byMilliseconds: span.milliseconds)
        }
    }
}
