import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// An argument for the expiration of a push: `never-set`, `0` or a time from now.
enum ExpirationArgument: ExplainedArgument, Equatable {
    case unspecified
    case once
    case from(now: TimeSpan)

    init?(argument: String) {
        switch argument {
        case "never-set": self = .unspecified
        case "0": self = .once
        default:
            guard let span = TimeSpan(argument: argument), span.milliseconds >= 1_000 else { return nil }
            self = .from(now: span)
        }
    }

    var defaultText: String { "never-set" }

    static func fault(of argument: String) -> String {
        "it is never-set, 0, or a duration from a second on, such as 3600, 12h or 2d"
    }

    /// Returns the expiration for the message.
    func expiration(at now: Timestamp) -> Expiration {
        switch self {
        case .unspecified: .unspecified
        case .once: .once
        case .from(let span): .at(seconds: now.later(byMilliseconds: span.milliseconds).milliseconds / 1_000)
        }
    }
}
